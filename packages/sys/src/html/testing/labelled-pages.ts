/**
 * Pages with their articles marked, after the structure of real news, blogs and documentation. In `pages.txt` a page
 * begins with `=== name`, `[[…]]` is part of the article, and `{p}`, `{s}`, `{q}` are a paragraph, a sentence, a quotation.
 */
import source from "./pages.txt" with { type: "text" };

export interface LabelledPage {
	readonly name: string;
	readonly html: string;
	/** The text of the article alone. */
	readonly article: string;
}

export function labelledPages(): LabelledPage[] {
	const prose = new Prose();
	return source
		.split(/^=== /m)
		.slice(1)
		.map((text) => {
			const [name = "", ...lines] = text.split("\n");
			const marked = lines.join("\n").replace(/\{([psq])\}/g, (_, kind: string) => prose.of(kind));
			const parts = [...marked.matchAll(/\[\[([\s\S]*?)\]\]/g)].map(([, part = ""]) => part);
			const body = marked.replace(/\[\[([\s\S]*?)\]\]/g, "$1");
			const html = /<body/.test(body) ? body : `<body>${body}</body>`;
			return {
				name,
				html: `<!doctype html><html><head><title>${name} | Example</title></head>${html}</html>`,
				article: plain(parts.join("\n")),
			};
		});
}

/** Sentences of ordinary length, with commas, no two of them alike. */
class Prose {
	#made = 0;

	of(kind: string): string {
		if (kind !== "p") return this.#sentence();
		const sentences = Array.from({ length: 3 + (this.#made % 3) }, () => this.#sentence());
		const [first = "", ...rest] = sentences;
		return `<p>${[this.#made % 4 === 0 ? linked(first) : first, ...rest].join(" ")}</p>`;
	}

	#sentence(): string {
		const at = this.#made++;
		const word = (step: number): string =>
			words[(at * 17 + step * (3 + (at % 5)) + step * step) % words.length] ?? "";
		const clause = (from: number, many: number): string =>
			Array.from({ length: many }, (_, step) => word(from + step)).join(" ");
		const text = `${clause(0, 6 + (at % 4))}, ${clause(20, 5 + (at % 6))}`;
		return `${text[0]?.toUpperCase()}${text.slice(1)}.`;
	}
}

function linked(sentence: string): string {
	const [first = "", second = "", ...rest] = sentence.split(" ");
	return `<a href="/topic/${first.toLowerCase()}">${first} ${second}</a> ${rest.join(" ")}`;
}

const words =
	"the of a council river engine report morning which was found after several months while people near old bridge said that work would begin soon although nobody had asked for money from city or its visitors because winter came early and roads were closed until spring when new rules changed how much each house had to pay".split(
		" ",
	);

/** The words of markup. */
function plain(html: string): string {
	return html
		.replace(/<[^>]+>/g, " ")
		.replaceAll("&lt;", "<")
		.replaceAll("&gt;", ">")
		.replaceAll("&amp;", "&")
		.replace(/\s+/g, " ")
		.trim();
}

/** How much of an article was found, and how much beside it, by runs of four words. */
export function score(found: string, article: string): { precision: number; recall: number; f1: number } {
	const [ours, gold] = [runs(found), runs(article)];
	let both = 0;
	for (const [run, many] of ours) both += Math.min(many, gold.get(run) ?? 0);
	const sum = (all: ReadonlyMap<string, number>): number => [...all.values()].reduce((a, b) => a + b, 0);
	const precision = ours.size === 0 ? 0 : both / sum(ours);
	const recall = both / sum(gold);
	return { precision, recall, f1: both === 0 ? 0 : (2 * precision * recall) / (precision + recall) };
}

function runs(text: string): Map<string, number> {
	const tokens = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
	const counts = new Map<string, number>();
	for (let at = 0; at + 4 <= Math.max(4, tokens.length); at++) {
		const run = tokens.slice(at, at + 4).join(" ");
		counts.set(run, (counts.get(run) ?? 0) + 1);
	}
	return counts;
}

/** The words of Markdown, without addresses. */
export function markdownText(markdown: string): string {
	return markdown
		.replace(/!\[[^\]]*\]\([^)]*\)/g, " ")
		.replace(/\[((?:\\.|[^\]\\])*)\]\([^)]*\)/g, "$1")
		.replace(/^```\w*$/gm, " ")
		.replace(/\\(?=[^\w\s])/g, "");
}
