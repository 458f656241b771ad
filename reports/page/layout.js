/* When each call begins and ends, in rows from the top: the least rows that agree with what
 * happened.
 *
 * In each thread, a call begins one row below the end of the previous call, and below the beginning
 * of the call that its rank made before it in another thread. A call that completes a
 * receive ends below the beginning of the send. A call that completes a synchronous send ends not
 * above the beginning of its receive. A call that completes a collective ends not above the last
 * member's arrival. A call that never returned lasts to the end.
 *
 * Each track is advanced as far as possible. A track that cannot go on is woken by what it waits for.
 * If a root left a collective early, the rule for collectives can lead to a cycle. If no track can
 * go on, one goes on without what it waits for. */

function layOut(graph) {
	new Layout(graph).run();
}

class Layout {
	constructor(graph) {
		const { count, tracks, collectives } = graph;

		this.graph = graph;
		this.start = new Int32Array(count);
		this.end = new Int32Array(count);
		this.needs = new Needs(graph);
		this.next = Int32Array.from(tracks, ({ begin }) => begin); /* by track: where in
		                                                             graph.order the
		                                                             next call is */
		this.missing = new Int32Array(collectives + 1);        /* members that have not arrived */
		this.latest = new Int32Array(collectives + 1);         /* row of the last arrival */
		for (let k = 1; k <= collectives; k++)
			this.missing[k] = graph.membersBegin[k + 1] - graph.membersBegin[k];
		this.waiting = new Map(); /* what tracks wait for (a call, or count + collective)
		                             to the tracks */
		this.ready = [];
		this.rows = 0;
	}

	run() {
		const { graph } = this;
		let waits = 0;

		for (let track = graph.tracks.length - 1; track >= 0; track--)
			this.ready.push(track);
		do {
			while (this.ready.length > 0)
				this.advance(this.ready.pop(), false);
		} while (this.force());
		for (const { begin, end } of graph.tracks) {
			if (end > begin && graph.open(graph.order[end - 1])) {
				this.end[graph.order[end - 1]] = this.rows + 1;
				waits = 1;
			}
		}
		graph.start = this.start;
		graph.end = this.end;
		graph.rows = this.rows + waits;
	}

	advance(track, forced) {
		const { graph, next } = this;

		while (next[track] < graph.tracks[track].end) {
			const node = graph.order[next[track]], before = this.before(node);

			if (before >= 0 && this.start[before] === 0 && !forced) {
				this.wait(track, before);
				return;
			}
			if (this.start[node] === 0)
				this.enter(track, node, before);
			const row = this.ending(track, node, forced);

			if (row < 0)
				return;
			forced = false;
			this.end[node] = row;
			this.rows = Math.max(this.rows, row);
			next[track]++;
		}
	}

	/* The call that the rank made before this one, if in another thread; else -1. */
	before(node) {
		const { graph } = this;

		return node > graph.first[graph.rank[node]] && graph.track[node - 1] !== graph.track[node] ? node - 1 : -1;
	}

	enter(track, node, before) {
		const { graph } = this, k = graph.collective[node], slot = graph.slot[node];
		const free = slot > graph.tracks[track].begin ? this.end[graph.order[slot - 1]] : 0;

		this.start[node] = Math.max(free, before >= 0 ? this.start[before] : 0) + 1;
		this.wake(node);
		if (k === 0)
			return;
		this.latest[k] = Math.max(this.latest[k], this.start[node]);
		if (--this.missing[k] === 0)
			this.wake(graph.count + k);
	}

	/* The row where a call ends; -1: something that it needs has not happened yet, and
	 * `forced` is false. */
	ending(track, node, forced) {
		const { needs, start } = this;
		let row = start[node];

		for (let need = needs.head[node]; need >= 0; need = needs.next[need]) {
			const k = needs.collective[need], other = needs.node[need];

			if (k > 0 ? this.missing[k] === 0 : start[other] > 0)
				row = Math.max(row, k > 0 ? this.latest[k] : start[other] + needs.below[need]);
			else if (!forced)
				return this.wait(track, k > 0 ? this.graph.count + k : other);
		}
		return row;
	}

	wait(track, what) {
		const tracks = this.waiting.get(what);

		if (tracks)
			tracks.push(track);
		else
			this.waiting.set(what, [track]);
		return -1;
	}

	wake(what) {
		for (const track of this.waiting.get(what) || [])
			this.ready.push(track);
		this.waiting.delete(what);
	}

	/* Lets one track go on without what it waits for, preferably one in a collective. False:
	 * all tracks are done. */
	force() {
		const { graph, next } = this, meets = (track) => graph.collective[graph.order[next[track]]] > 0;
		let best = -1;

		for (let track = 0; track < graph.tracks.length; track++) {
			if (next[track] < graph.tracks[track].end && (best < 0 || (meets(track) && !meets(best))))
				best = track;
		}
		if (best >= 0)
			this.advance(best, true);
		return best >= 0;
	}
}

/* What must happen before a call can end, as linked lists by node. */
class Needs {
	constructor(graph) {
		const most = 2 * graph.to.length + graph.count;

		this.head = new Int32Array(graph.count).fill(-1);
		this.next = new Int32Array(most);
		this.node = new Int32Array(most);
		this.collective = new Int32Array(most);
		this.below = new Uint8Array(most);
		this.used = 0;
		for (let i = 0; i < graph.to.length; i++) {
			const from = graph.from[i], to = graph.to[i];

			if (graph.completed[to] >= 0 && !graph.open(graph.completed[to]))
				this.add(graph.completed[to], from, 0, 1);
			if (graph.completed[from] >= 0 && graph.call(from).operations <= 1)
				this.add(graph.completed[from], to, 0, 0);
		}
		for (let node = 0; node < graph.count; node++) {
			if (graph.collective[node] > 0 && graph.completed[node] >= 0)
				this.add(graph.completed[node], -1, graph.collective[node], 0);
		}
	}

	add(at, node, collective, below) {
		this.node[this.used] = node;
		this.collective[this.used] = collective;
		this.below[this.used] = below;
		this.next[this.used] = this.head[at];
		this.head[at] = this.used++;
	}
}
