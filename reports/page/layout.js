/* When each call begins and ends, in rows from the top: the least ones that agree with what happened.
 *
 * In a rank each call begins a row below the end of the one before it. A call that learns of a
 * receive's completion ends below the beginning of the send; one that learns of a send's completion
 * (a synchronous one) not above the beginning of its receive; one that learns of a collective's
 * completion not above the last member's arrival. A call that never returned lasts to the end.
 *
 * Ranks are advanced in turn until all calls are placed. Where a root left a collective early the
 * last rule can go round in a circle: then that call goes on without it. */

function layOut(graph) {
	const { count, ranks, first } = graph;
	const start = new Int32Array(count), end = new Int32Array(count);
	const needs = new Needs(graph);
	const next = Int32Array.from(first.subarray(0, ranks));
	const arrived = new Int32Array(graph.collectives + 1);
	const latest = new Int32Array(graph.collectives + 1);
	let rows = 0;

	const enter = (rank, node) => {
		const k = graph.collective[node];

		start[node] = node > first[rank] ? end[node - 1] + 1 : 1;
		if (k > 0) {
			arrived[k]++;
			latest[k] = Math.max(latest[k], start[node]);
		}
	};
	/* Row of the end; -1 when something it needs has not happened yet and `forced` is not set. */
	const ending = (node, forced) => {
		let row = start[node];

		for (let need = needs.head[node]; need >= 0; need = needs.next[need]) {
			const k = needs.collective[need], other = needs.node[need];
			const known = k > 0
				? arrived[k] === graph.membersBegin[k + 1] - graph.membersBegin[k]
				: start[other] > 0;

			if (!known && !forced)
				return -1;
			if (known)
				row = Math.max(row, k > 0 ? latest[k] : start[other] + needs.below[need]);
		}
		return row;
	};
	const advance = (rank, forced) => {
		let moved = false;

		while (next[rank] < first[rank + 1]) {
			const node = next[rank];

			if (start[node] === 0) {
				enter(rank, node);
				moved = true;
			}
			const row = ending(node, forced && !moved);

			if (row < 0)
				break;
			end[node] = row;
			rows = Math.max(rows, row);
			next[rank]++;
			moved = true;
		}
		return moved;
	};
	const force = () => {
		let best = -1;

		for (let rank = 0; rank < ranks; rank++) {
			const node = next[rank];

			if (node >= first[rank + 1])
				continue;
			if (best < 0 || (graph.collective[node] > 0 && graph.collective[next[best]] === 0))
				best = rank;
		}
		return best >= 0 && advance(best, true);
	};

	for (let moved = true; moved; ) {
		moved = false;
		for (let rank = 0; rank < ranks; rank++)
			moved = advance(rank, false) || moved;
		moved = moved || force();
	}
	for (let rank = 0; rank < ranks; rank++) {
		if (graph.waiting[rank] && first[rank + 1] > first[rank])
			end[first[rank + 1] - 1] = rows + 1;
	}
	graph.start = start;
	graph.end = end;
	graph.rows = rows + (graph.waiting.includes(1) ? 1 : 0);
}

/* What must have happened before a call can end, as linked lists by node. */
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
