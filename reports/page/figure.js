/* A graph with its controls: buttons, filters, the description of a call. */

function element(name, attributes = {}, ...children) {
	const made = document.createElement(name);

	for (const [key, value] of Object.entries(attributes)) {
		if (key.startsWith("on"))
			made.addEventListener(key.slice(2), value);
		else if (typeof value === "boolean")
			made.toggleAttribute(key, value);
		else
			made.setAttribute(key, value);
	}
	made.append(...children);
	return made;
}

/* If some lines begin with tabs and others with spaces, only a terminal's tab width aligns them. */
function setTabs(pre) {
	const lines = [...pre.children].map((line) => line.textContent);

	pre.classList.toggle("mixed", lines.some((line) => /^ *\t/.test(line)) &&
		lines.some((line) => /^ {2}/.test(line)));
}

/* Lines of source with their numbers; the line of the place is marked. */
function excerpt(place) {
	const line = Number(place.text.split(":").pop()), pre = element("pre");

	place.source.replace(/\n$/, "").split("\n").forEach((text, i) => {
		const number = place.begin + i;

		pre.append(element("span", { class: number === line ? "l at" : "l", "data-n": number }, text));
	});
	setTabs(pre);
	return pre;
}

/* Where to put a box so that it does not cover the mark: below it, above it, at its right or at
 * its left, whichever fits into the room first. If none fits, it goes below or above, where
 * there is more room, and is cut. */
function putBeside(mark, wide, high, room) {
	const left = Math.max(room.left, Math.min(mark.right, room.right - wide));
	const top = Math.max(room.top, Math.min(mark.top, room.bottom - high));
	const under = room.bottom - mark.bottom, over = mark.top - room.top;

	if (high <= under)
		return { left, top: mark.bottom, high };
	if (high <= over)
		return { left, top: mark.top - high, high };
	if (high <= room.bottom - room.top && wide <= room.right - mark.right)
		return { left: mark.right, top, high };
	if (high <= room.bottom - room.top && wide <= mark.left - room.left)
		return { left: mark.left - wide, top, high };
	return under >= over ? { left, top: mark.bottom, high: Math.max(under, 0) }
		: { left, top: room.top, high: Math.max(over, 0) };
}

let figures = 0;

class Figure {
	constructor(holder, data, graphOf) {
		this.holder = holder;
		this.data = data;
		this.graphOf = graphOf; /* by index, created on demand */
		this.number = ++figures;
		this.selected = () => {}; /* called when another call, or none (-1), is selected */
		this.contents = () => ""; /* returns the contents of a call's messages, as far as
		                             they are known */
		this.own = Number(holder.dataset.graph);
		this.other = holder.dataset.other === undefined ? -1 : Number(holder.dataset.other);
		this.build();
		this.view = new View(this.canvas, graphOf(this.own), () => this.tell(), () => this.putTip());
		this.fillFilters();
		this.arrange();
		this.view.drawNow();
		if (this.view.graph.blamed >= 0)
			this.view.goTo(this.view.graph.blamed);
	}

	build() {
		const { holder } = this;

		this.canvas = element("canvas", {
			tabindex: "0", role: "application", "aria-label": "Message-passing graph",
			"aria-describedby": `keys-${this.number} said-${this.number}`,
		});
		this.tip = element("div", { class: "tip", hidden: true, "aria-hidden": "true" });
		this.said = element("p", { class: "unseen", "aria-live": "polite", id: `said-${this.number}` });
		this.filters = element("div", { class: "filters", id: `filters-${this.number}` });
		this.bar = element("div", { class: "bar", role: "toolbar", "aria-label": "Graph" });
		this.stage = element("div", { class: "stage" }, this.canvas, this.tip);
		this.tabs = element("div", { class: "tabs", role: "group", "aria-label": "Communicators", hidden: true });
		this.stacks = element("div", { class: "places", id: `places-${this.number}`, hidden: true,
			role: "region", "aria-label": "Where calls are made" });
		holder.append(this.bar, this.tabs, this.filters, element("div", { class: "row" }, this.stage, this.stacks), this.legend(), this.said,
			element("p", { class: "unseen", id: `keys-${this.number}` },
				"Arrow keys move from call to call. Enter moves to the other call of a message. Plus " +
				"and minus zoom; 0 shows all. Home and End move to the ends. F folds or unfolds " +
				"repetitions."));
		this.buttons();
	}

	buttons() {
		const button = (text, title, action) =>
			element("button", { type: "button", title, "aria-label": title, onclick: action }, text);

		if (this.other >= 0)
			this.bar.append(this.alternatives());
		this.toFault = button("Choice to blame", "Go to the choice to blame", () =>
			this.jump(this.view.graph.blamed >= 0 ? this.view.graph.blamed : this.view.marked));
		this.toEnd = button("End", "Go to the end", () => this.view.actions().End());
		this.filterButton = button("Show …", "Filter the calls that are shown", () => this.toggleFilters());
		this.filterButton.setAttribute("aria-expanded", "false");
		this.filterButton.setAttribute("aria-controls", this.filters.id);
		this.foldButton = button("Unfold all", "Unfold all repetitions, or fold them again", () => this.foldAll());
		this.stacksButton = button("Places", "Where calls are made: a tree of functions", () => this.toggleStacks());
		this.stacksButton.setAttribute("aria-expanded", "false");
		this.stacksButton.setAttribute("aria-controls", this.stacks.id);
		this.bar.append(this.toFault, this.toEnd, this.search(), element("span", { class: "gap" }),
			this.foldButton, this.stacksButton, this.filterButton,
			button("−", "Zoom out", () => this.view.zoomTo(this.view.zoom / 1.4)),
			button("+", "Zoom in", () => this.view.zoomTo(this.view.zoom * 1.4)),
			button("All", "Show all", () => this.view.zoomTo(this.view.whole)),
			button("⤢", "Enlarge to the whole window, or shrink again", () => this.enlarge()));
	}

	/* Goes to the next matching call; repeated searches go on from there. */
	search() {
		const field = element("input", { type: "search", placeholder: "0.4, Recv, a.c:7", size: "14",
			"aria-label": "Go to a call: rank.call, a function or a place" });

		field.addEventListener("input", () => field.setCustomValidity(""));
		field.addEventListener("keydown", (event) => {
			if (event.key !== "Enter")
				return;
			const node = this.view.find(field.value);

			event.preventDefault();
			field.setCustomValidity(node < 0 ? "No matching call is shown" : "");
			field.reportValidity();
			this.jump(node);
		});
		return field;
	}

	foldAll() {
		const { folding } = this.view;

		folding.all(folding.opened.size === 0);
		this.view.refold();
	}

	/* A switch between the failing interleaving and one that ends well. */
	alternatives() {
		const name = `which-${this.number}`;
		const option = (text, index, checked) => element("label", {},
			element("input", { type: "radio", name, checked, onchange: () => this.change(index) }), text);

		return element("fieldset", { class: "choice-of" },
			element("legend", { class: "unseen" }, "Interleaving"),
			option("As it goes wrong", this.own, true), option("As it can go well", this.other, false));
	}

	change(index) {
		const before = this.view.graph;

		this.view.show(this.graphOf(index));
		this.view.marked = -1;
		if (before.blamed >= 0 && this.view.graph.blamed < 0) {
			const same = this.view.graph.node(before.rank[before.blamed], before.number(before.blamed));

			if (this.view.graph.choices.has(same))
				this.view.marked = same;
		}
		this.fillFilters();
		this.arrange();
		const node = this.view.graph.blamed >= 0 ? this.view.graph.blamed : this.view.marked;

		this.view.drawNow();
		if (node >= 0)
			this.view.goTo(node);
		this.tell();
	}

	/* Replaces the graph after it has grown. */
	renew(graph) {
		this.view.renew(graph);
		if (this.filtered !== graph.data.shapes.length)
			this.fillFilters();
		else
			this.fillStacks();
		this.foldButton.hidden = !this.view.folding.any;
		this.tell();
	}

	/* Makes the stage as high as the graph needs, within limits. */
	arrange() {
		const high = HEAD + (this.view.folding.rows + 1) * ROW + 6;

		if (!this.holder.classList.contains("live"))
			this.stage.style.height = `${Math.max(180, Math.min(high, window.innerHeight * 0.75, 640))}px`;
		this.foldButton.hidden = !this.view.folding.any;
		for (const sign of this.signsOfBlame)
			sign.hidden = this.view.graph.blamed < 0;
		this.toFault.hidden = this.view.graph.blamed < 0 && this.view.marked < 0;
		this.toFault.firstChild.textContent = this.view.graph.blamed >= 0 ? "Choice to blame" : "The choice";
	}

	jump(node) {
		if (node < 0)
			return;
		this.view.goTo(node);
		this.view.select(node);
	}

	enlarge() {
		const large = this.holder.classList.toggle("large");

		document.body.style.overflow = large ? "hidden" : "";
		this.view.draw();
	}

	legend() {
		const sign = (drawing) => {
			const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");

			svg.setAttribute("viewBox", "0 0 22 12");
			svg.setAttribute("aria-hidden", "true");
			for (const [name, attributes] of drawing) {
				const part = document.createElementNS("http://www.w3.org/2000/svg", name);

				for (const [key, value] of Object.entries(attributes))
					part.setAttribute(key, value);
				svg.append(part);
			}
			return svg;
		};
		const ring = { fill: "none", stroke: "var(--receive)", "stroke-width": 2 };
		const entries = [
			["send", [["circle", { cx: 11, cy: 6, r: 4.5, fill: "var(--send)" }]]],
			["receive", [["circle", { cx: 11, cy: 6, r: 4, ...ring }]]],
			["from any source", [["path", { d: "M11 0.8L16.2 6L11 11.2L5.8 6Z", ...ring }]]],
			["collective", [["rect", { x: 0, y: 3, width: 22, height: 6, rx: 3, fill: "var(--collective)", opacity: 0.35 }],
				["rect", { x: 7, y: 2, width: 8, height: 8, fill: "var(--collective)" }]]],
			["where it goes wrong", [["path", { d: "M7 2L15 10M15 2L7 10", stroke: "var(--bad)", "stroke-width": 2.2, "stroke-linecap": "round" }]]],
			["choice to blame", [["path", { d: "M1 6H21", stroke: "var(--bad)", "stroke-width": 2 }]]],
			["what it could have taken", [["path", { d: "M1 6H21", stroke: "var(--good)", "stroke-width": 2, "stroke-dasharray": "5 3" }]]],
		];

		const signs = entries.map(([text, drawing]) => element("span", {}, sign(drawing), text));

		this.signsOfBlame = signs.slice(-2);
		return element("div", { class: "legend", "aria-hidden": "true" }, ...signs);
	}

	/* --- filters --- */

	toggleFilters() {
		const shown = this.filters.classList.toggle("shown");

		this.filterButton.setAttribute("aria-expanded", String(shown));
	}

	fillFilters() {
		const { graph } = this.view, { strings, communicators } = this.data;
		const functions = new Map(), comms = new Map();

		this.filtered = this.data.shapes.length;
		for (let node = 0; node < graph.count; node++) {
			const call = graph.call(node);

			functions.set(call.name, (functions.get(call.name) || 0) + 1);
			if (call.comm >= 0)
				comms.set(call.comm, (comms.get(call.comm) || 0) + 1);
		}
		const ranks = Array.from({ length: graph.ranks }, (_, rank) =>
			[rank, graph.rankName(rank), graph.first[rank + 1] - graph.first[rank]]);

		this.filters.replaceChildren(
			this.group("Ranks", "ranks", ranks),
			this.group("Functions", "functions", [...functions].map(([name, count]) =>
				[strings[name], strings[name], count]).sort((a, b) => a[1] < b[1] ? -1 : 1)),
			this.group("Communicators", "communicators", [...comms].map(([comm, count]) =>
				[comm, communicators[comm], count])));
		this.fillTabs([...comms.keys()].sort((a, b) => a - b));
		this.fillStacks();
	}

	/* --- a tab for each communicator --- */

	fillTabs(comms) {
		const { communicators } = this.data, seen = new Map();
		const tab = (text, comm) => element("button", { type: "button", "aria-pressed": String(this.view.only === comm),
			onclick: () => this.showOnly(comm) }, text);
		const name = (comm) => { /* several communicators may have the same name */
			const text = communicators[comm], times = (seen.get(text) || 0) + 1;

			seen.set(text, times);
			return times === 1 ? text : `${text} (${times})`;
		};

		if (this.view.only !== null && !comms.includes(this.view.only))
			this.view.only = null;
		this.tabs.hidden = comms.length < 2;
		this.tabs.replaceChildren(tab("All communicators", null), ...comms.map((comm) => tab(name(comm), comm)));
		this.tabOf = [null, ...comms];
	}

	showOnly(comm) {
		this.view.only = comm;
		[...this.tabs.children].forEach((tab, i) => tab.setAttribute("aria-pressed", String(this.tabOf[i] === comm)));
		this.refilter();
	}

	/* --- where calls are made --- */

	toggleStacks() {
		this.stacks.hidden = !this.stacks.hidden;
		this.stacksButton.setAttribute("aria-expanded", String(!this.stacks.hidden));
		if (this.stacks.hidden)
			this.light(null, "");
		this.fillStacks();
		this.view.draw();
	}

	/* Fills the tree; places that were open stay open. */
	fillStacks() {
		if (this.stacks.hidden)
			return;
		const open = new Set([...this.stacks.querySelectorAll("details[open]")].map((one) => one.dataset.stack));
		const tree = stackTree(this.view.graph), chosen = this.litPlace;
		const lit = chosen ? placeAt(tree, chosen) : null;

		this.view.litShapes = lit ? lit.shapes : null;
		this.stacks.replaceChildren(stackList(tree, (place, key) => this.light(place, key)));
		for (let more = true; more;) { /* opening one creates others, which may have been
		                                  open too */
			const closed = [...this.stacks.querySelectorAll("details:not([open])")].filter((one) => open.has(one.dataset.stack));

			more = closed.length > 0;
			for (const one of closed) {
				one.open = true;
				one.dispatchEvent(new Event("toggle"));
			}
		}
		for (const button of this.stacks.querySelectorAll("button"))
			button.setAttribute("aria-pressed", String(button.dataset.stack === chosen));
	}

	/* Highlights the calls below a place. null, or the same place again: no highlight. */
	light(place, key) {
		const again = place === null || this.litPlace === key;

		this.litPlace = again ? null : key;
		this.view.litShapes = again ? null : place.shapes;
		for (const button of this.stacks.querySelectorAll("button"))
			button.setAttribute("aria-pressed", String(button.dataset.stack === this.litPlace));
		if (!again && this.view.firstLit >= 0)
			this.view.reveal(this.view.firstLit);
		this.view.draw();
	}

	group(title, kind, entries) {
		const hidden = this.view.hidden[kind];
		const boxes = entries.map(([key, text, count]) => {
			const box = element("input", { type: "checkbox", checked: !hidden.has(key), onchange: () => {
				hidden[box.checked ? "delete" : "add"](key);
				this.refilter();
			} });

			return [box, element("label", {}, box, text, element("small", {}, `${count}`))];
		});
		const all = (shown) => element("button", { type: "button", onclick: () => {
			for (const [box] of boxes)
				box.checked = shown;
			hidden.clear();
			for (const [key] of shown ? [] : entries)
				hidden.add(key);
			this.refilter();
		} }, shown ? "all" : "none");

		return element("fieldset", { "data-kind": kind },
			element("legend", {}, title, all(true), all(false)),
			element("div", { class: "list" }, ...boxes.map(([, made]) => made)));
	}

	refilter() {
		this.view.filter();
		this.tell();
		this.view.draw();
	}

	/* --- the description of a call --- */

	tell() {
		const { view, tip } = this, { graph } = view;
		const node = view.told();

		this.selected(view.selected);
		this.foldButton.hidden = !view.folding.any;
		this.foldButton.textContent = view.folding.opened.size > 0 ? "Fold all" : "Unfold all";
		tip.hidden = node < 0;
		if (node < 0) {
			this.said.textContent = "";
			return;
		}
		const lines = relations(graph, node), place = graph.place(node);
		const [own, ...outer] = stackLines(graph.stack(node)), where = own || place.text;
		const contents = this.contents(node);
		const title = `${graph.name(node)} — rank ${graph.rankName(graph.rank[node])}${byThread(graph, node)}, call ${graph.number(node)}`;

		tip.replaceChildren(element("h4", {}, title));
		for (const [text, kind] of [[envelope(graph, node), ""], [contents, "contents"], [where, "place"], ...lines]) {
			if (text)
				tip.append(element("p", { class: kind }, text));
		}
		if (place.source)
			tip.append(excerpt(place));
		if (outer.length > 0)
			tip.append(element("div", { class: "stack" },
				...outer.map((frame) => element("p", {}, frame))));
		if (view.selected >= 0)
			this.said.textContent = [title, envelope(graph, node), contents, where, ...outer,
				...lines.map(([text]) => text)].filter(Boolean).join("; ");
		this.putTip();
	}

	/* Puts the description beside the call's mark and label, never on them, and within the
	 * window. */
	putTip() {
		const { view, tip } = this, node = view.told();
		const x = node < 0 ? 0 : view.nodeX(node), y = node < 0 ? 0 : view.markY(node);

		tip.hidden = node < 0 || y < HEAD || y > view.height || x < 0 || x > view.width;
		if (tip.hidden)
			return;
		const { top } = this.stage.getBoundingClientRect();
		const room = { left: 8, right: view.width - 8, top: 8 - top, bottom: window.innerHeight - 8 - top };

		tip.style.maxHeight = "none";
		const put = putBeside({ left: x - 12, right: x + 12, top: y - 14, bottom: y + 14 },
			tip.offsetWidth, tip.offsetHeight, room);

		tip.style.left = `${put.left}px`;
		tip.style.top = `${put.top}px`;
		tip.style.maxHeight = `${put.high}px`;
	}
}
