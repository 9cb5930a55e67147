/** The search of the site: an index of all headings, loaded when the field is used first. */
const root = document.querySelector("script[data-root]").dataset.root;
const field = document.getElementById("search");
const list = document.getElementById("results");
/** Results that are shown: nobody reads more. */
const shown = 12;
const excerptChars = 140;
let index;

async function parts() {
	index ??= fetch(`${root}search.json`).then((response) => response.json());
	return await index;
}

/** Words in headings count most, and all of them have to be there. */
function score(part, words) {
	const [title, heading, text] = [part.title, part.heading, part.text].map((each) => each.toLowerCase());
	let sum = 0;
	for (const word of words) {
		const found =
			(heading.includes(word) ? 8 : 0) + (title.includes(word) ? 4 : 0) + (text.includes(word) ? 1 : 0);
		if (found === 0) return 0;
		sum += found + (heading.startsWith(word) ? 4 : 0);
	}
	return sum;
}

function excerpt(text, word) {
	const at = Math.max(0, text.toLowerCase().indexOf(word) - 40);
	return `${at > 0 ? "…" : ""}${text.slice(at, at + excerptChars)}`;
}

function row(part, word) {
	const item = document.createElement("li");
	const link = document.createElement("a");
	link.href = root + part.at;
	link.textContent = part.heading === part.title ? part.title : `${part.title} › ${part.heading}`;
	const about = document.createElement("small");
	about.textContent = excerpt(part.text, word);
	link.append(about);
	item.append(link);
	return item;
}

async function search() {
	const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
	if (words.length === 0) return void (list.hidden = true);
	const found = (await parts())
		.map((part) => ({ part, points: score(part, words) }))
		.filter(({ points }) => points > 0)
		.toSorted((a, b) => b.points - a.points)
		.slice(0, shown);
	list.replaceChildren(...found.map(({ part }) => row(part, words[0])));
	if (found.length === 0) list.append("Nothing was found.");
	list.hidden = false;
}

field.addEventListener("input", () => void search());
document.addEventListener("keydown", (event) => {
	const isTyping = document.activeElement === field;
	if (event.key === "/" && !isTyping) {
		event.preventDefault();
		field.focus();
	}
	if (event.key === "Escape") list.hidden = true;
	const links = [...list.querySelectorAll("a")];
	if (event.key === "Enter" && isTyping) links[0]?.click();
	const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
	if (step === undefined || list.hidden || links.length === 0) return;
	event.preventDefault();
	const next = links.indexOf(document.activeElement) + step;
	(next < 0 ? field : (links[next] ?? links.at(-1))).focus();
});
