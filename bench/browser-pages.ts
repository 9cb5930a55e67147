/** Pages of the kinds that agents use, and the length of `agent-browser snapshot -i` (0.41.0, 2026-11-16) of each. */

interface SavedPage {
	readonly html: string;
	/** Characters of agent-browser's look. */
	readonly others: number;
}

const words =
	"river valley harbor market council budget winter bridge school museum library station garden festival energy water forest border climate election".split(
		" ",
	);

/** The same words for the same number. */
function phrase(seed: number, length: number): string {
	return Array.from({ length }, (_, at) => words[(seed * 7 + at * 13) % words.length]).join(" ");
}

function page(title: string, body: string): string {
	return `<!doctype html><html lang="en"><title>${title}</title><body>${body}</body></html>`;
}

const list = (count: number, row: (at: number) => string): string =>
	Array.from({ length: count }, (_, at) => row(at)).join("\n");

const navigation = (label: string, count: number): string =>
	`<nav aria-label="${label}"><ul>${list(count, (at) => `<li><a href="/${label}/${at}">${phrase(at, 2)}</a></li>`)}</ul></nav>`;

const form = page(
	"Sign up",
	`<main><h1>Sign up</h1><form><label>Name <input required></label> <label>Mail <input type="email"></label>
	<label>Born <input type="date"></label> <label>Country <select>${list(12, (at) => `<option>${phrase(at, 1)}</option>`)}</select></label>
	<label><input type="checkbox"> I agree</label> <label>About <textarea></textarea></label> <button>Send</button></form>
	<button onclick="n.textContent = Number(n.textContent) + 1">Count</button><p id="n">0</p></main>`,
);

/** Each story has a picture, a headline and an invitation, all with the same address. */
const news = page(
	"News",
	`<header>${navigation("Sections", 18)}<form role="search"><input aria-label="Search" type="search"><button>Search</button></form></header>
	<main><h1>Today</h1>${list(
		36,
		(at) =>
			`<article><a href="/story/${at}"><img alt="${phrase(at + 3, 4)}" width="10" height="10"></a><h2><a href="/story/${at}">${phrase(at, 9)}</a></h2><p>${phrase(at + 1, 24)}</p><a href="/story/${at}">Read more</a> <button aria-label="Save ${phrase(at, 3)}">Save</button></article>`,
	)}</main><footer>${navigation("About", 24)}</footer>`,
);

/** A long text with a link in every sentence, and references at its end. */
const encyclopedia = page(
	"Rivers",
	`${navigation("Contents", 30)}<main><h1>Rivers</h1>${list(
		60,
		(at) =>
			`${at % 10 === 0 ? `<h2>${phrase(at, 3)}</h2>` : ""}<p>${list(6, (one) => `${phrase(at + one, 8)} <a href="/wiki/${at}-${one}">${phrase(at * 3 + one, 2)}</a> ${phrase(at, 5)}.<sup><a href="#note-${at}-${one}">[${at * 6 + one}]</a></sup>`)}</p>`,
	)}</main>`,
);

const shop = page(
	"Shop",
	`<header>${navigation("Departments", 12)}</header><aside><h2>Filter</h2>${list(24, (at) => `<label><input type="checkbox"> ${phrase(at, 2)}</label>`)}
	<label>Sort <select>${list(5, (at) => `<option>${phrase(at, 2)}</option>`)}</select></label></aside>
	<main>${list(40, (at) => `<div><a href="/item/${at}"><img alt="" width="10" height="10"></a><a href="/item/${at}">${phrase(at, 5)}</a><span>${at} €</span><label>Quantity <select>${list(9, (one) => `<option>${one + 1}</option>`)}</select></label><button>Add to cart</button></div>`)}</main>`,
);

export const savedPages: Readonly<Record<string, SavedPage>> = {
	form: { html: form, others: 813 },
	news: { html: news, others: 12_875 },
	encyclopedia: { html: encyclopedia, others: 23_204 },
	shop: { html: shop, others: 18_798 },
};
