/* The data that the report has put into the page, in arrays with fast access.
 *
 * A call is a node, numbered first[rank] + number of the call - 1. What several calls have in
 * common (function, place, stack, communicator, peer, ...) is stored once, as a shape. Each thread
 * of a rank that makes calls has a track. */

const UNDEFINED = -1, UNKNOWN = -2; /* instead of an index (json_text.h) */
const SEND = 1, RECEIVE = 2, COLLECTIVE = 5;
const FOREIGN = /^MPI_(File_i|Grequest_start)/; /* make requests that MPI, or the program, completes */
const PICKS = /^MPI_(Test|Wait)(any|some)$/; /* return indices of requests */
const POLL = /^MPI_(Im?probe|Test(all|any|some)?|Wait(any|some)|Request_get_status)$/;

function shapeOf([name, kind, place, comm, peer, given, tag, bytes, operations, frame, thread = 0]) {
	return { name, kind, place, comm, peer, given, tag, bytes, operations, frame, thread };
}

/* null in a running session: its data arrives later. */
function readData() {
	const data = JSON.parse(document.getElementById("data").textContent);

	if (data)
		data.shapes = data.shapes.map(shapeOf);
	return data;
}

class Graph {
	constructor(data, raw) {
		this.data = data;
		this.raw = raw;
		this.ranks = raw.ranks;
		this.rankNames = raw.rankNames || null; /* null: their numbers */
		this.first = new Int32Array(raw.ranks + 1);
		for (let rank = 0; rank < raw.ranks; rank++)
			this.first[rank + 1] = this.first[rank] + raw.calls[rank][0].length;
		this.count = this.first[raw.ranks];
		this.offers = []; /* alternatives of open choices: { number, from, to, text } */
		this.lit = new Set(); /* calls to highlight */
		this.readCalls();
		this.readTracks();
		this.readWaiting();
		this.readMatches();
		this.readChoices();
		this.readFaults();
		this.readAnswers();
		layOut(this);
	}

	readCalls() {
		const { raw, first, count } = this;

		this.rank = new Int32Array(count);
		this.shape = new Int32Array(count);
		this.completed = new Int32Array(count).fill(-1); /* node; -1: the rank never
		                                                    learnt of it */
		this.collective = new Int32Array(count); /* 0: none */
		this.collectives = 0;
		for (let rank = 0; rank < raw.ranks; rank++) {
			const [shapes, completed, collective] = raw.calls[rank];

			for (let i = 0; i < shapes.length; i++) {
				const node = first[rank] + i;
				const learnt = completed[i] ? i + completed[i] - 1 : -1;

				this.rank[node] = rank;
				this.shape[node] = shapes[i];
				if (learnt >= i && learnt < shapes.length)
					this.completed[node] = first[rank] + learnt;
				this.collective[node] = collective[i];
				this.collectives = Math.max(this.collectives, collective[i]);
			}
		}
		this.readMembers();
		this.held = new Set(); /* ranks held by the user */
	}

	/* The tracks, by rank and thread: order[begin] to order[end - 1] are the calls of a track. A
	 * rank without calls has one, too. slot[n]: where n is in `order`. tracksOf[rank]: its first
	 * track. */
	readTracks() {
		const { first, count } = this, threads = Array.from({ length: this.ranks }, () => new Set());
		const trackOf = new Map(), key = (rank, thread) => rank + thread * this.ranks;

		this.tracks = [];
		this.tracksOf = new Int32Array(this.ranks + 1);
		for (let node = 0; node < count; node++)
			threads[this.rank[node]].add(this.call(node).thread);
		for (let rank = 0; rank < this.ranks; rank++) {
			for (const thread of threads[rank].size > 0 ? [...threads[rank]].sort((a, b) => a - b) : [0]) {
				trackOf.set(key(rank, thread), this.tracks.length);
				this.tracks.push({ rank, thread, begin: 0, end: 0 });
			}
			this.tracksOf[rank + 1] = this.tracks.length;
		}
		this.track = new Int32Array(count);
		this.order = new Int32Array(count);
		this.slot = new Int32Array(count);
		for (let node = 0; node < count; node++) {
			const rank = this.rank[node];

			this.track[node] = threads[rank].size === 1 ? this.tracksOf[rank] : trackOf.get(key(rank, this.call(node).thread));
			this.tracks[this.track[node]].end++;
		}
		for (let track = 0, at = 0; track < this.tracks.length; track++) {
			const one = this.tracks[track], length = one.end;

			one.begin = one.end = at;
			at += length;
		}
		for (let node = 0; node < count; node++) {
			this.slot[node] = this.tracks[this.track[node]].end++;
			this.order[this.slot[node]] = node;
		}
	}

	/* Calls that have not returned. */
	readWaiting() {
		const { waiting } = this.raw;

		this.waits = new Uint8Array(this.count);
		for (let i = 0; i + 1 < waiting.length; i += 2) {
			const node = this.node(waiting[i], waiting[i + 1]);

			if (node >= 0 && this.slot[node] === this.tracks[this.track[node]].end - 1)
				this.waits[node] = 1;
		}
	}

	/* The calls of each collective, by rank: members[begin[k]] to members[begin[k + 1] - 1]. */
	readMembers() {
		const begin = new Int32Array(this.collectives + 2);
		const fill = new Int32Array(this.collectives + 2);

		for (let node = 0; node < this.count; node++)
			begin[this.collective[node] + 1]++;
		for (let k = 0; k <= this.collectives; k++)
			begin[k + 1] += begin[k];
		fill.set(begin);
		this.members = new Int32Array(this.count);
		for (let node = 0; node < this.count; node++)
			this.members[fill[this.collective[node]]++] = node;
		this.membersBegin = begin;
	}

	node(rank, call) {
		if (!(rank >= 0 && rank < this.ranks))
			return -1;
		const node = this.first[rank] + call - 1;

		return call >= 1 && node < this.first[rank + 1] ? node : -1;
	}

	readMatches() {
		const flat = this.raw.matches;

		this.from = [];
		this.to = [];
		for (let i = 0; i + 3 < flat.length; i += 4) {
			const to = this.node(flat[i], flat[i + 1]);
			const from = this.node(flat[i + 2], flat[i + 3]);

			if (to >= 0 && from >= 0) {
				this.from.push(from);
				this.to.push(to);
			}
		}
		this.from = Int32Array.from(this.from);
		this.to = Int32Array.from(this.to);
		/* each call's last match as a send, and as a receive */
		this.sent = new Int32Array(this.count).fill(-1);
		this.received = new Int32Array(this.count).fill(-1);
		for (let i = 0; i < this.to.length; i++) {
			this.sent[this.from[i]] = i;
			this.received[this.to[i]] = i;
		}
	}

	readChoices() {
		this.choices = new Map();
		this.blamed = -1;
		for (const [rank, call, blamed, ...options] of this.raw.choices) {
			const node = this.node(rank, call);

			if (node < 0)
				continue;
			const list = options.map(([source, sent, text, ahead = 0, said = null]) => ({ source, text, ahead, said,
				node: sent > 0 ? this.node(source, sent) : -1 }));

			this.choices.set(node, { blamed: Boolean(blamed), taken: list[0], others: list.slice(1) });
			if (blamed)
				this.blamed = node;
		}
	}

	/* What polls, Waitany and Waitsome were answered, as far as it is known: { yes, from,
	 * requests, indices }, the rank whose message was found (-1: not known), the calls that
	 * started the requests reported, and where these are in the program's array (null: not known,
	 * or no such call; empty: MPI_UNDEFINED). Most answers were chosen. In a loop of polls a
	 * choice tells of all polls up to the one that it answers: those before that one were
	 * answered "no". Other answers follow from what was complete. */
	readAnswers() {
		const { strings, shapes } = this.data, asks = shapes.map(({ name }) => POLL.test(strings[name]));
		const foreign = shapes.map(({ name }) => FOREIGN.test(strings[name]));
		const unsure = new Set(); /* ranks with requests that the scheduler does not complete */
		const polls = (node) => node < this.count && asks[this.shape[node]]
			&& (this.probes(node) || !unsure.has(this.rank[node]));
		const reports = new Map(); /* by call: the calls whose completion it reports */

		this.answers = new Map();
		for (let node = 0; node < this.count; node++) {
			if (foreign[this.shape[node]])
				unsure.add(this.rank[node]);
		}
		for (const [node, { taken }] of this.choices) {
			if (taken.said === null ? !polls(node) || !this.probes(node) : !polls(node + taken.ahead))
				continue;
			for (let other = node; other < node + taken.ahead && polls(other); other++)
				this.answers.set(other, { yes: false, from: -1, requests: [] });
			if (node + taken.ahead < this.first[this.rank[node] + 1])
				this.answers.set(node + taken.ahead, this.answerOf(taken, node));
		}
		for (let node = 0; node < this.count; node++) {
			const learnt = this.completed[node];

			if (learnt > node && polls(learnt))
				reports.set(learnt, [...reports.get(learnt) || [], node]);
		}
		for (let node = 0; node < this.count; node++) {
			const yes = this.completed[node] === node || reports.has(node);

			if (polls(node) && !this.open(node) && !this.answers.has(node) && (yes || this.probes(node)))
				this.answers.set(node, { yes, from: this.probes(node) ? this.call(node).peer : -1,
					requests: reports.get(node) || [] });
		}
		this.readIndices();
	}

	/* What these calls have returned is known of all, or of none: a call that is not listed was
	 * answered "not yet". */
	readIndices() {
		const { strings, shapes } = this.data, picks = shapes.map(({ name }) => PICKS.test(strings[name]));
		const flat = this.raw.indices, returned = new Map();

		for (let i = 0; flat && i + 2 < flat.length; i += 3) {
			const node = this.node(flat[i], flat[i + 1]);

			if (returned.has(node))
				returned.get(node).push(flat[i + 2]);
			else if (node >= 0)
				returned.set(node, [flat[i + 2]]);
		}
		for (let node = 0; flat && node < this.count; node++) {
			const indices = returned.get(node), before = this.answers.get(node);

			if (!picks[this.shape[node]] || this.open(node) || indices?.[0] === UNKNOWN)
				continue;
			if (indices)
				this.answers.set(node, { yes: true, from: -1, requests: before?.requests || [],
					indices: indices[0] === UNDEFINED ? [] : indices });
			else if (this.name(node).startsWith("MPI_Test"))
				this.answers.set(node, { yes: false, from: -1, requests: [] });
		}
	}

	answerOf({ source, said }, node) {
		const calls = said && /\d/.test(said) ? said.split(",") : [];

		return { yes: said !== "no", from: said ? -1 : source,
			requests: calls.map((call) => this.node(this.rank[node], Number(call))).filter((one) => one >= 0) };
	}

	/* Whether the call looks for a message. */
	probes(node) {
		return this.call(node).kind > RECEIVE && this.call(node).kind < COLLECTIVE;
	}

	/* Calls where something goes wrong, with a description. */
	readFaults() {
		this.faults = new Map();
		for (const [rank, call, text] of this.raw.faults)
			this.faults.set(this.node(rank, call), text);
		this.faults.delete(-1);
	}

	call(node) {
		return this.data.shapes[this.shape[node]];
	}

	name(node) {
		return this.data.strings[this.call(node).name];
	}

	number(node) {
		return node - this.first[this.rank[node]] + 1;
	}

	place(node) {
		const [text, begin, source] = this.data.places[this.call(node).place];

		return { text, begin, source };
	}

	/* The stack of a call, from the MPI call outwards; empty if no stack was taken. The name
	 * of an unknown function is "". */
	stack(node) {
		const { frames, strings, places } = this.data, stack = [];

		for (let i = this.call(node).frame; i >= 0; i = frames[i][2])
			stack.push({ name: strings[frames[i][0]] || "", text: places[frames[i][1]][0] });
		return stack;
	}

	communicator(node) {
		const comm = this.call(node).comm;

		return comm < 0 ? "" : this.data.communicators[comm];
	}

	/* Whether the rank never returned from the call. */
	open(node) {
		return this.waits[node] === 1;
	}

	/* The calls that begin in a row. */
	startingIn(row) {
		return this.tracks.flatMap(({ begin, end }) => {
			let low = begin, high = end;

			while (low < high) {
				const middle = (low + high) >> 1;

				if (this.start[this.order[middle]] < row)
					low = middle + 1;
				else
					high = middle;
			}
			return low < end && this.start[this.order[low]] === row ? [this.order[low]] : [];
		});
	}

	/* "0.2:1" for a rank of another world than the first. */
	rankName(rank) {
		return this.rankNames?.[rank] ?? `${rank}`;
	}

	/* The rank with this name or number; -1: none. */
	rankNamed(text) {
		const named = this.rankNames ? this.rankNames.indexOf(text) : -1;

		return named < 0 && /^\d+$/.test(text) ? Number(text) : named;
	}

	/* Whether several threads of the rank have made calls. */
	threaded(rank) {
		return this.tracksOf[rank + 1] - this.tracksOf[rank] > 1;
	}
}
