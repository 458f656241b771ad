/* Which part of a graph is visible, and how mouse, touch and keyboard move it. */

const ROW = 26;                     /* pixels of a row, unzoomed */
const ZOOM_MOST = 3;
const EDGE_PARTS = 24;              /* parts of an offer's edge: an even number */
const LEAST_COLUMN = 26, MOST_COLUMN = 330;

class View {
	constructor(canvas, graph, changed, drawn) {
		this.canvas = canvas;
		this.changed = changed; /* called when another call is pointed at or selected */
		this.drawn = drawn; /* called when positions may have changed */
		this.painter = new Painter(this);
		this.hovered = this.selected = this.marked = -1;
		this.litShapes = null; /* shapes of the highlighted calls */
		this.only = null; /* number of the only communicator that is shown; null: all */
		this.offered = null; /* the offer that is pointed at */
		this.chosen = () => {}; /* called when an offer is clicked */
		this.hidden = { ranks: new Set(), functions: new Set(), communicators: new Set() };
		this.width = this.height = 0;
		this.pointers = new Map();
		this.show(graph);
		this.listen();
	}

	show(graph) {
		this.graph = graph;
		this.folding = graph.folding ||= new Folding(graph);
		this.hovered = this.selected = -1;
		this.zoom = 1;
		this.x = this.y = 0;
		this.filter();
	}

	/* Replaces the graph after it has grown. The visible part stays; if it was the end, it
	 * stays the end. */
	renew(graph) {
		const before = this.graph, { opened, rows } = this.folding;
		const atEnd = this.rowAt(this.height) >= before.rows - 1 || rows === 0;
		const same = (node) => node < 0 ? -1 : graph.node(before.rank[node], before.number(node));
		const [selected, marked] = [same(this.selected), same(this.marked)];

		this.graph = graph;
		this.folding = graph.folding = new Folding(graph, opened);
		this.selected = selected;
		this.marked = marked;
		this.offered = null;
		this.filter();
		if (atEnd)
			this.y = Number.MAX_SAFE_INTEGER;
		this.changed();
		this.draw();
	}

	/* --- positions --- */

	get rowHeight() { return ROW * this.zoom; }

	rowY(row) { return this.lineY(this.folding.shownOf(row)); }

	rowAt(y) { return this.folding.rowOf(this.lineAt(y)); }

	/* The y of a line: a row as drawn, after folding. */
	lineY(line) { return HEAD + (line - 0.35) * this.rowHeight - this.y; }

	lineAt(y) { return (y - HEAD + this.y) / this.rowHeight + 0.35; }

	/* The row of a call's mark: its end; the beginning for a send, or for a call that never
	 * returned. */
	markRow(node) {
		const { graph } = this;

		return graph.open(node) || graph.call(node).kind === SEND ? graph.start[node] : graph.end[node];
	}

	markY(node) { return this.rowY(this.markRow(node)); }

	columnX(column) { return 34 + (column + 0.08) * this.columnWidth - this.x; }

	/* The x of a call: the middle of its track's line. */
	nodeX(node) { return this.columnX(this.columnOf[this.graph.track[node]]); }

	shows(node) {
		return this.columnOf[this.graph.track[node]] >= 0 && this.shapeShown[this.graph.shape[node]] === 1;
	}

	isLit(node) {
		return this.graph.lit.has(node) || (this.litShapes !== null && this.litShapes.has(this.graph.shape[node]));
	}

	/* The first shown call that is highlighted; -1: none. */
	get firstLit() {
		for (let node = 0; node < this.graph.count; node++) {
			if (this.isLit(node) && this.shows(node))
				return node;
		}
		return -1;
	}

	/* The names of ranks with several threads, and of these, where they are drawn: the name of
	 * the rank in the middle of what is visible of its tracks. */
	threadHeads() {
		const { graph, columns } = this, heads = [], narrow = this.columnWidth < 60;

		for (let column = 0; column < columns.length;) {
			const { rank } = graph.tracks[columns[column]], end = column + graph.tracksOf[rank + 1] - graph.tracksOf[rank];

			const from = this.columnX(column), to = this.columnX(end - 1);

			if (graph.threaded(rank) && from < this.width + this.columnWidth && to > -this.columnWidth) {
				const x = (Math.max(from, 0) + Math.min(to, this.width - RAIL)) / 2;
				const threads = columns.slice(column, end).map((track, i) => ({ track, x: this.columnX(column + i),
					text: threadName(graph.tracks[track].thread, narrow) }));

				heads.push({ rank, x, from, to, threads, left: from - 11, right: to + this.columnWidth - 12,
					text: `${narrow ? "" : "rank "}${graph.rankName(rank)}${graph.held.has(rank) ? narrow ? "!" : ", held" : ""}` });
			}
			column = end;
		}
		return heads;
	}

	/* Whether a call's mark is visible after going to it. */
	stands(node) {
		return this.shows(node) && !this.folding.hides(this.markRow(node));
	}

	measure() {
		const box = this.canvas.parentElement.getBoundingClientRect();

		this.width = box.width;
		this.height = box.height;
		const room = (this.width - RAIL - 34) / Math.max(1, this.columns.length);

		this.columnWidth = Math.min(MOST_COLUMN, Math.max(LEAST_COLUMN, room));
		this.clamp();
	}

	clamp() {
		const wide = 34 + this.columns.length * this.columnWidth + RAIL;
		const hangs = this.graph.offers.length > 0 ? 36 + 15 * Math.min(8, this.graph.offers.length) : 0;
		const high = HEAD + (this.folding.rows + 1) * this.rowHeight + hangs;

		this.x = Math.max(0, Math.min(this.x, wide - this.width));
		this.y = Math.max(0, Math.min(this.y, high - this.height));
	}

	/* The zoom at which everything fits. */
	get whole() {
		return Math.min(1, (this.height - HEAD) / ((this.folding.rows + 1) * ROW));
	}

	filter() {
		const { graph, hidden } = this, { strings, shapes } = graph.data;

		this.columns = [];
		this.columnOf = new Int32Array(graph.tracks.length).fill(-1); /* by track */
		for (let track = 0; track < graph.tracks.length; track++) {
			if (hidden.ranks.has(graph.tracks[track].rank))
				continue;
			this.columnOf[track] = this.columns.length;
			this.columns.push(track);
		}
		this.shapeShown = Uint8Array.from(shapes, (shape) =>
			hidden.functions.has(strings[shape.name]) || hidden.communicators.has(shape.comm)
				|| (this.only !== null && shape.comm !== this.only) ? 0 : 1);
		if (this.selected >= 0 && !this.shows(this.selected))
			this.select(-1);
		this.hovered = -1;
	}

	/* --- drawing --- */

	draw() {
		if (this.pending)
			return;
		this.pending = true;
		requestAnimationFrame(() => this.drawNow());
	}

	drawNow() {
		this.pending = false;
		this.measure();
		if (this.width > 0 && this.height > 0)
			this.painter.paint();
		if (this.told() >= 0)
			this.drawn();
	}

	/* --- moving --- */

	moveBy(dx, dy) {
		const { x, y } = this;

		this.x += dx;
		this.y += dy;
		this.clamp();
		this.draw();
		return this.x !== x || this.y !== y;
	}

	zoomTo(zoom, y = HEAD + (this.height - HEAD) / 2) {
		const line = this.lineAt(y);

		this.zoom = Math.min(ZOOM_MOST, Math.max(Math.min(this.whole, 1), zoom));
		this.y += this.lineY(line) - y;
		this.clamp();
		this.draw();
	}

	goTo(node) {
		if (this.folding.reveal(this.markRow(node)))
			this.changed();
		this.measure();
		if (this.rowHeight < LABELS)
			this.zoom = 1;
		this.y += this.markY(node) - HEAD - (this.height - HEAD) / 2;
		if (this.columnOf[this.graph.track[node]] >= 0)
			this.x += this.nodeX(node) - this.width / 2;
		this.clamp();
		this.draw();
	}

	/* Brings a call into sight. */
	reveal(node) {
		const y = this.markY(node), x = this.nodeX(node);

		if (this.folding.hides(this.markRow(node)) || y < HEAD + 20 || y > this.height - 20 || x < 10 || x > this.width - RAIL - 10)
			this.goTo(node);
	}

	/* --- finding --- */

	/* The call that is described; -1: none. */
	told() {
		return this.selected >= 0 ? this.selected : this.hovered;
	}

	/* The shown call at a point; -1: none. */
	at(x, y) {
		const column = Math.round((x - 34 + this.x) / this.columnWidth - 0.08);
		const nearest = Math.max(0, Math.min(this.columns.length - 1, column));
		const words = this.columnWidth >= 90 ? Math.floor((x - 34 + this.x) / this.columnWidth) : nearest;
		const track = this.columns[Math.max(0, Math.min(this.columns.length - 1, words))];

		if (y < HEAD || x > this.width - RAIL || track === undefined)
			return -1;
		const row = this.rowAt(y), reach = Math.max(0.6, 8 / this.rowHeight);
		let best = -1, distance = reach;

		for (const node of this.painter.callsFrom(track, row - reach)) {
			if (this.graph.start[node] > row + reach)
				break;
			const mark = this.markRow(node);
			const off = row >= this.graph.start[node] && row <= this.graph.end[node]
				? Math.min(0.45, Math.abs(mark - row)) : Math.abs(mark - row);

			if (off < distance && this.stands(node)) {
				best = node;
				distance = off;
			}
		}
		return best;
	}

	/* The distance to the nearest track's line. */
	awayFromLine(x) {
		const column = Math.round((x - this.columnX(0)) / this.columnWidth);

		return Math.abs(x - this.columnX(Math.max(0, Math.min(this.columns.length - 1, column))));
	}

	/* The points of an offer's edge: a curve that hangs below the row. Each offer hangs
	 * lower than the one before, so that edges of one row can be distinguished. */
	edge(offer) {
		const { graph } = this, { from, to } = offer;
		const x1 = this.nodeX(from), y1 = this.rowY(graph.start[from]);
		const x2 = this.nodeX(to), y2 = this.markY(to);
		const middle = (x1 + x2) / 2; /* the position of its number, not on another
		                                 track's calls */
		const index = Math.min(8, graph.offers.indexOf(offer));
		const isOwn = graph.track[from] === graph.track[to]; /* on the left: labels are on the right */
		const x = isOwn ? x1 - Math.min(0.8 * this.columnWidth, 64 + 20 * index)
			: this.awayFromLine(middle) < this.columnWidth / 8 ? middle + 0.4 * this.columnWidth : middle;
		const y = (y1 + y2) / 2 + (isOwn ? 0 : 44 + 30 * index);

		return Array.from({ length: EDGE_PARTS + 1 }, (_, i) => {
			const t = i / EDGE_PARTS, s = 1 - t;

			return [s * s * x1 + 2 * s * t * x + t * t * x2, s * s * y1 + 2 * s * t * y + t * t * y2];
		});
	}

	/* The offer whose edge is at a point, but not near the calls at its ends or the ranks
	 * that it crosses; null: none. */
	offerAt(x, y) {
		let best = null, nearest = 10;
		const isCall = this.awayFromLine(x) < Math.min(9, this.columnWidth / 8);

		for (const offer of y < HEAD || isCall ? [] : this.graph.offers) {
			if (!this.shows(offer.from) || !this.shows(offer.to))
				continue;
			for (const [x1, y1] of this.edge(offer).slice(2, -2)) {
				const away = Math.hypot(x1 - x, y1 - y);

				if (away < nearest) {
					best = offer;
					nearest = away;
				}
			}
		}
		return best;
	}

	point(offer) {
		if (offer === this.offered)
			return;
		this.offered = offer;
		this.canvas.style.cursor = offer ? "pointer" : "";
		this.draw();
	}

	select(node) {
		this.selected = node;
		this.hovered = -1;
		this.changed();
	}

	/* The next shown call of the track in a direction. */
	neighbour(node, step) {
		const { graph } = this, { begin, end } = graph.tracks[graph.track[node]];

		for (let slot = graph.slot[node] + step; slot >= begin && slot < end; slot += step) {
			if (this.stands(graph.order[slot]))
				return graph.order[slot];
		}
		return node;
	}

	/* The shown call of a neighbouring track that is nearest in time. */
	beside(node, step) {
		const { graph } = this;

		for (let c = this.columnOf[graph.track[node]] + step; c >= 0 && c < this.columns.length; c += step) {
			const track = this.columns[c], { begin, end } = graph.tracks[track];
			let slot = Math.min(this.painter.firstVisible(track, graph.start[node]), end - 1);

			while (slot >= begin && !this.stands(graph.order[slot]))
				slot--;
			if (slot >= begin)
				return graph.order[slot];
		}
		return node;
	}

	/* --- mouse, touch and keyboard --- */

	listen() {
		const { canvas } = this;

		canvas.addEventListener("pointerdown", (event) => this.press(event));
		canvas.addEventListener("pointermove", (event) => this.move(event));
		canvas.addEventListener("pointerup", (event) => this.release(event));
		canvas.addEventListener("pointercancel", (event) => this.pointers.delete(event.pointerId));
		canvas.addEventListener("pointerleave", () => this.hover(-1));
		canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
		canvas.addEventListener("keydown", (event) => this.key(event));
		canvas.addEventListener("blur", () => this.draw());
		new ResizeObserver(() => this.draw()).observe(canvas.parentElement);
	}

	hover(node) {
		if (node === this.hovered)
			return;
		this.hovered = node;
		this.changed();
		this.draw();
	}

	press(event) {
		this.canvas.setPointerCapture(event.pointerId);
		this.pointers.set(event.pointerId, event);
		this.moved = false;
		this.onRail = event.offsetX > this.width - RAIL;
		if (this.onRail)
			this.follow(event);
	}

	follow(event) {
		const line = (event.offsetY - HEAD) / (this.height - HEAD) * (this.folding.rows + 1);

		this.y = line * this.rowHeight - (this.height - HEAD) / 2;
		this.clamp();
		this.draw();
	}

	move(event) {
		const before = this.pointers.get(event.pointerId);

		if (!before) {
			this.point(this.offerAt(event.offsetX, event.offsetY));
			this.hover(this.offered ? -1 : this.at(event.offsetX, event.offsetY));
			return;
		}
		const dx = event.clientX - before.clientX, dy = event.clientY - before.clientY;

		if (!this.moved && Math.hypot(dx, dy) < 4)
			return;
		this.moved = true;
		if (this.onRail)
			this.follow(event);
		else if (this.pointers.size === 2)
			this.pinch(event, before);
		else
			this.moveBy(-dx, -dy);
		this.pointers.set(event.pointerId, event);
		this.hover(-1);
	}

	pinch(event, before) {
		const [other] = [...this.pointers.values()].filter((one) => one.pointerId !== event.pointerId);
		const span = (one) => Math.max(20, Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY));

		this.zoomTo(this.zoom * span(event) / span(before), (event.offsetY + other.offsetY) / 2);
	}

	release(event) {
		this.pointers.delete(event.pointerId);
		if (this.moved || this.onRail)
			return;
		const block = this.blockAt(event.offsetX, event.offsetY);
		const offer = this.offerAt(event.offsetX, event.offsetY);

		if (offer)
			this.chosen(offer);
		else if (block)
			this.toggle(block);
		else
			this.select(this.at(event.offsetX, event.offsetY));
		this.draw();
	}

	/* --- folding --- */

	/* The block at a point: a folded one by its line, any by its bracket; null: none. */
	blockAt(x, y) {
		if (y < HEAD || x > this.width - RAIL)
			return null;
		const row = this.rowAt(y), folded = this.folding.hides(row);

		return folded || (x < BRACKET + 8 ? this.folding.around(row) : null);
	}

	/* Folds or unfolds a block. Everything above it keeps its position. */
	toggle(block) {
		this.folding.toggle(block);
		this.refold();
	}

	refold() {
		if (this.selected >= 0 && !this.stands(this.selected))
			this.select(-1);
		this.hovered = -1;
		this.changed();
		this.draw();
	}

	/* For the keyboard: toggles the block around the selected call; otherwise the first
	 * folded block in sight, or the block in the middle. */
	toggleHere() {
		const { folding } = this, top = this.lineAt(HEAD), bottom = this.lineAt(this.height);
		const here = this.selected >= 0 ? folding.around(this.markRow(this.selected)) : null;
		const seen = folding.segments.find(({ block, shown }) => block && shown >= top && shown <= bottom);
		const block = here || (seen ? seen.block : folding.around(folding.rowOf((top + bottom) / 2)));

		if (block)
			this.toggle(block);
	}

	/* Until the graph has the focus, the wheel scrolls the page: otherwise nobody could
	 * scroll past the graph. */
	wheel(event) {
		const unit = event.deltaMode === 1 ? 18 : 1;

		if (event.ctrlKey || event.metaKey) {
			this.zoomTo(this.zoom * Math.exp(-event.deltaY * unit * 0.004), event.offsetY);
		} else {
			const across = event.shiftKey && event.deltaX === 0;
			const dx = (across ? event.deltaY : event.deltaX) * unit, dy = across ? 0 : event.deltaY * unit;

			if (document.activeElement !== this.canvas || !this.moveBy(dx, dy))
				return;
		}
		event.preventDefault();
	}

	key(event) {
		if (event.ctrlKey || event.metaKey || event.altKey)
			return;
		const action = this.actions()[event.key];

		if (!action)
			return;
		action();
		event.preventDefault();
	}

	actions() {
		const { graph } = this, page = this.height - HEAD - 40;
		const step = (to) => () => {
			const from = this.selected >= 0 ? this.selected : this.start();

			if (from >= 0) {
				this.select(this.selected >= 0 ? to(from) : from);
				this.reveal(this.selected);
				this.changed();
				this.draw();
			}
		};
		const follow = (from) => {
			const i = graph.received[from] >= 0 ? graph.received[from] : graph.sent[from];
			const other = i < 0 ? from : graph.from[i] === from ? graph.to[i] : graph.from[i];

			return this.shows(other) ? other : from;
		};

		return {
			ArrowDown: step((from) => this.neighbour(from, 1)),
			ArrowUp: step((from) => this.neighbour(from, -1)),
			ArrowRight: step((from) => this.beside(from, 1)),
			ArrowLeft: step((from) => this.beside(from, -1)),
			Enter: step(follow),
			f: () => this.toggleHere(),
			PageDown: () => this.moveBy(0, page),
			PageUp: () => this.moveBy(0, -page),
			Home: () => this.moveBy(0, -Infinity),
			End: () => this.moveBy(0, Number.MAX_SAFE_INTEGER),
			"+": () => this.zoomTo(this.zoom * 1.4),
			"=": () => this.zoomTo(this.zoom * 1.4),
			"-": () => this.zoomTo(this.zoom / 1.4),
			0: () => this.zoomTo(this.whole),
			Escape: () => { this.select(-1); this.draw(); },
		};
	}

	/* The call where the keyboard starts: the choice to blame, or the first call in sight. */
	start() {
		if (this.graph.blamed >= 0 && this.shows(this.graph.blamed))
			return this.graph.blamed;
		for (const track of this.columns) {
			for (const node of this.painter.callsFrom(track, this.rowAt(HEAD))) {
				if (this.stands(node))
					return node;
			}
		}
		return -1;
	}

	/* The next shown call that matches, from the selected one on and then from the
	 * beginning: "0.4" (rank and call), or part of a function's name or a
	 * place. -1: none. */
	find(text) {
		const { graph } = this, numbers = /^\s*([\d.:]+)\.(\d+)\s*$/.exec(text);

		if (numbers) {
			const node = graph.node(graph.rankNamed(numbers[1]), Number(numbers[2]));

			return node >= 0 && this.shows(node) ? node : -1;
		}
		const wanted = text.trim().toLowerCase(), shapes = graph.data.shapes;
		const fits = shapes.map((shape) => graph.data.strings[shape.name].toLowerCase().includes(wanted)
			|| graph.data.places[shape.place][0].toLowerCase().includes(wanted));

		for (let i = 1; wanted && i <= graph.count; i++) {
			const node = (this.selected + i) % graph.count;

			if (fits[graph.shape[node]] && this.shows(node))
				return node;
		}
		return -1;
	}
}
