/* Repeated rows are drawn once: as nested blocks, each of which can be unfolded.
 *
 * Two rows are alike if the same calls of the same threads begin and end in them, at the same places
 * and with the same partners. Tags and sizes may differ. Rows with something wrong, with the choice
 * to blame or with a call that never returned are like no other, and always visible. */

const FOLD_FROM = 100;   /* rows; smaller graphs are not folded */
const BLOCK_MOST = 64;   /* rows of a block, after the blocks in it are folded */
const SAVED_LEAST = 8;   /* rows that a block must save */

/* What a poll was answered, as far as rows with other answers differ. */
function answerLook(graph, node) {
	const answer = graph.answers.get(node);

	return answer ? `,${answer.yes},${answer.from},${answer.requests.map((one) => node - one)},${answer.indices?.length}` : "";
}

/* A number for each row, equal for rows that are alike. The first row is 1. */
function rowsAlike(graph) {
	const texts = Array.from({ length: graph.rows + 1 }, () => []), ids = new Map();
	const unlike = new Set();

	for (let node = 0; node < graph.count; node++) {
		const call = graph.call(node), received = graph.received[node], sent = graph.sent[node];
		const partner = received >= 0 ? graph.track[graph.from[received]] : -1;
		const taker = sent >= 0 ? graph.track[graph.to[sent]] : -1;
		const look = `${graph.track[node]},${call.name},${call.place},${call.comm},${call.peer},${partner},${taker}`
			+ answerLook(graph, node);

		texts[graph.start[node]].push(look);
		texts[graph.end[node]].push(graph.end[node] > graph.start[node] ? `-${look}` : "");
		if (graph.faults.has(node) || graph.open(node) || graph.blamed === node) {
			unlike.add(graph.start[node]);
			unlike.add(graph.end[node]);
		}
	}
	for (const { from } of graph.offers)
		unlike.add(graph.start[from]);
	return texts.map((text, row) => {
		const key = unlike.has(row) ? `row ${row}` : text.join(";");

		if (!ids.has(key))
			ids.set(key, ids.size);
		return ids.get(key);
	});
}

/* The block at `first` that saves most rows, of equals the shortest: { period, times }; null:
 * none. */
function bestBlock(items, first) {
	let best = null, most = SAVED_LEAST - 1;

	for (let period = 1; period <= BLOCK_MOST && first + 2 * period <= items.length; period++) {
		let at = first + period, rows = 0;

		while (at < items.length && items[at].id === items[at - period].id)
			at++;
		const times = Math.floor((at - first) / period);

		for (let i = first; times > 1 && i < first + period; i++)
			rows += items[i].rows;
		if ((times - 1) * rows > most) {
			most = (times - 1) * rows;
			best = { period, times };
		}
	}
	return best;
}

/* Items are { row, rows, id, times, body }: a single row, or a block that repeats `body` `times`
 * times. */
function foldItems(items, ids) {
	for (let any = true; any;) {
		const folded = [];

		any = false;
		for (let i = 0; i < items.length;) {
			const best = bestBlock(items, i);

			if (!best) {
				folded.push(items[i++]);
				continue;
			}
			const body = foldItems(items.slice(i, i + best.period), ids);
			const once = body.reduce((sum, item) => sum + item.rows, 0);
			const key = `${best.times}:${body.map((item) => item.id).join()}`;

			if (!ids.has(key))
				ids.set(key, -1 - ids.size);
			folded.push({ row: items[i].row, rows: once * best.times, id: ids.get(key),
				times: best.times, body });
			i += best.period * best.times;
			any = true;
		}
		items = folded;
	}
	return items;
}

/* Where the rows of a graph are drawn. All rows that a block hides share one line. */
class Folding {
	constructor(graph, opened = new Set()) {
		const alike = graph.rows >= FOLD_FROM ? rowsAlike(graph) : new Int32Array(graph.rows + 1);
		const items = Array.from(alike, (id, row) => ({ row, rows: 1, id, times: 1, body: null })).slice(1);

		this.graph = graph;
		this.items = graph.rows >= FOLD_FROM ? foldItems(items, new Map()) : items;
		this.any = this.items.some((item) => item.body);
		this.opened = opened; /* keys of the blocks that are unfolded */
		this.arrange();
	}

	/* Computes the segments, and the blocks around them. A segment is a range of rows drawn
	 * row by row, or the hidden rows of a block on one line. */
	arrange() {
		this.segments = [];
		this.blocks = [];
		this.rows = 0; /* drawn rows */
		this.place(this.items, 0, 0);
		if (this.segments.length === 0)
			this.segments.push({ row: 1, shown: 1, rows: 0, block: null });
	}

	place(items, moved, depth) {
		for (const item of items) {
			const row = item.row + moved;

			if (!item.body) {
				this.add(row, null);
				continue;
			}
			const once = item.rows / item.times, key = `${depth}:${row}`, open = this.opened.has(key);
			const block = { key, row, once, times: item.times, open, depth };

			this.blocks.push(block);
			for (let i = 0; i < (open ? item.times : 1); i++)
				this.place(item.body, moved + i * once, depth + 1);
			if (!open)
				this.add(row + once, block);
		}
	}

	add(row, block) {
		const last = this.segments[this.segments.length - 1];

		this.rows++;
		if (last && !last.block && !block)
			last.rows++;
		else
			this.segments.push({ row, shown: this.rows, block, rows: block ? block.once * (block.times - 1) : 1 });
	}

	segmentOf(row) {
		return this.segments[this.last((segment) => segment.row <= row)];
	}

	/* The index of the last segment that satisfies `holds`; 0 if none does. All segments
	 * before one that satisfies it must satisfy it too. */
	last(holds) {
		let low = 0, high = this.segments.length - 1;

		while (low < high) {
			const middle = (low + high + 1) >> 1;

			if (holds(this.segments[middle]))
				low = middle;
			else
				high = middle - 1;
		}
		return low;
	}

	/* The line on which a row is drawn; below, the row that a line shows. */
	shownOf(row) {
		const segment = this.segmentOf(row);

		return segment.shown + (segment.block ? 0 : row - segment.row);
	}

	rowOf(shown) {
		const segment = this.segments[this.last((one) => one.shown - 0.5 <= shown)];
		const beyond = shown - segment.shown;

		return segment.row + (segment.block ? (beyond + 0.5) * segment.rows - 0.5 : beyond);
	}

	/* The block that hides a row; null: the row is visible. */
	hides(row) {
		return this.segmentOf(row).block;
	}

	/* Unfolds the blocks that hide a row. Returns whether there were any. */
	reveal(row) {
		let block = this.hides(row), any = false;

		for (; block; block = this.hides(row)) {
			this.opened.add(block.key);
			this.arrange();
			any = true;
		}
		return any;
	}

	toggle(block) {
		this.opened[block.open ? "delete" : "add"](block.key);
		this.arrange();
	}

	/* The innermost block around a row. */
	around(row) {
		let best = null;

		for (const block of this.blocks) {
			const rows = block.once * block.times;

			if (row >= block.row && row < block.row + rows && (!best || block.depth > best.depth))
				best = block;
		}
		return best;
	}

	all(open) {
		this.opened.clear();
		for (let count = -1; open && count !== this.opened.size;) {
			count = this.opened.size;
			for (const block of this.blocks)
				this.opened.add(block.key);
			this.arrange();
		}
		this.arrange();
	}
}
