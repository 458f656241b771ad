/* Draws each graph when it comes near the window, and draws all again if the colours change. */

/* Buttons that copy a command. A page opened from a file may have no access to the clipboard.
 * Then the command is selected, so that the user can copy it. */
function offerCopies() {
	for (const button of document.querySelectorAll("button.copy")) {
		const code = button.previousElementSibling;

		button.hidden = false;
		button.addEventListener("click", async () => {
			getSelection().selectAllChildren(code);
			try {
				await navigator.clipboard.writeText(code.textContent);
				button.textContent = "Copied";
			} catch {
				button.textContent = document.execCommand("copy") ? "Copied" : "Marked";
			}
		});
	}
}

function main() {
	const data = readData(), graphs = new Map(), shown = [];

	window.matchpoint = { figures: shown };
	const graphOf = (index) => {
		if (!graphs.has(index))
			graphs.set(index, new Graph(data, data.graphs[index]));
		return graphs.get(index);
	};
	const redraw = () => {
		for (const figure of shown) {
			figure.view.painter.colours = colours();
			figure.view.draw();
		}
	};
	const open = (holder) => {
		shown.push(new Figure(holder, data, graphOf));
		if (shown.length === 1)
			document.documentElement.dataset.firstPicture = performance.now().toFixed(0);
	};
	const watcher = new IntersectionObserver((entries) => {
		for (const entry of entries) {
			if (!entry.isIntersecting)
				continue;
			watcher.unobserve(entry.target);
			open(entry.target);
		}
	}, { rootMargin: "400px" });
	const live = document.getElementById("live");
	const holders = [...document.querySelectorAll(".graph[data-graph]")];

	if (live)
		window.matchpoint.live = new Live(live);
	if (holders.length > 0)
		open(holders[0]);
	for (const holder of holders.slice(1))
		watcher.observe(holder);
	window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
	offerCopies();
	document.querySelectorAll("figure pre").forEach(setTabs);
}

document.documentElement.classList.add("js");
main();
