/* The places from which MPI is called, as a tree: from the outermost function inwards, with the
 * MPI calls as leaves. Each place knows the shapes of the calls below it. */

class Place {
	constructor(label) {
		this.label = label; /* function, file, line */
		this.count = 0;
		this.shapes = new Set();
		this.below = new Map(); /* by label */
	}

	/* The place below with this label, created on demand. */
	at(label) {
		if (!this.below.has(label))
			this.below.set(label, new Place(label));
		return this.below.get(label);
	}

	add(shape, count) {
		this.shapes.add(shape);
		this.count += count;
	}
}

/* "take, a.c:6". Without debugging information the text names the function. */
function placeLabel({ name, text }) {
	return name && !text.startsWith(`${name}+`) ? `${name}, ${text}` : text;
}

/* The tree of a graph's calls. Without a stack there is only the place of the call. */
function stackTree(graph) {
	const counts = new Int32Array(graph.data.shapes.length), root = new Place("");
	const first = new Int32Array(counts.length).fill(-1);

	for (let node = graph.count - 1; node >= 0; node--) {
		counts[graph.shape[node]]++;
		first[graph.shape[node]] = node;
	}
	for (let shape = 0; shape < counts.length; shape++) {
		if (counts[shape] === 0)
			continue;
		const stack = graph.stack(first[shape]);
		let place = root;

		if (stack.length === 0)
			stack.push({ name: "", text: graph.place(first[shape]).text });
		for (const frame of stack.reverse()) {
			place = place.at(placeLabel(frame));
			place.add(shape, counts[shape]);
		}
		place.at(graph.name(first[shape])).add(shape, counts[shape]);
	}
	return root;
}

/* The place at a path: its labels from the root, each preceded by "/". null: there is none. */
function placeAt(place, path) {
	for (const below of place.below.values()) {
		const rest = path.slice(below.label.length + 1);

		if (path.startsWith(`/${below.label}`) && (rest === "" || rest.startsWith("/"))) {
			const found = rest === "" ? below : placeAt(below, rest);

			if (found)
				return found;
		}
	}
	return null;
}

/* The tree as a list, built as it is opened. `choose` is called with the chosen place. */
function stackList(place, choose, path = "") {
	const items = [...place.below.values()].sort((a, b) => b.count - a.count);

	return element("ul", { role: path ? "group" : "tree" }, ...items.map((item) => {
		const key = `${path}/${item.label}`, button = element("button", { type: "button", "data-stack": key,
			"aria-pressed": "false", onclick: () => choose(item, key) }, item.label,
			element("small", {}, ` ${item.count.toLocaleString("en")}`));

		if (item.below.size === 0)
			return element("li", { role: "treeitem" }, button);
		const details = element("details", { "data-stack": key }, element("summary", {}, button));
		const unfold = () => {
			if (details.children.length === 1)
				details.append(stackList(item, choose, key));
		};

		details.addEventListener("toggle", unfold);
		button.addEventListener("click", (event) => event.preventDefault()); /* do not toggle the
		                                                                        element */
		if (items.length === 1) { /* the only entry: open it */
			details.open = true;
			unfold();
		}
		return element("li", { role: "treeitem" }, details);
	}));
}
