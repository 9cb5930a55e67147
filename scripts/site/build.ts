/** Makes the pages of the site from Markdown: each with the navigation, its headings and working links, and an index for the search. */
import { dirname, join, normalize, relative } from "node:path";

import { sections } from "./contents.ts";

const template = await Bun.file(new URL("./page.html", import.meta.url)).text();

export interface Source {
	/** Relative to the root of the repository: `docs/using.md`. */
	readonly path: string;
	readonly text: string;
}

export interface Page {
	/** Relative to the root of the site: `using.html`. */
	readonly path: string;
	readonly title: string;
	readonly html: string;
	/** For the search. */
	readonly parts: readonly Part[];
}

export interface Part {
	/** The page, with the heading: `using.html#git`. */
	readonly at: string;
	readonly title: string;
	readonly heading: string;
	readonly text: string;
}

export interface SiteFacts {
	readonly version: string;
	/** Where files are shown that are not on the site. */
	readonly repository: string;
	/** A page that plays a recording, shown in the tour; absent where there is none. */
	readonly tour?: string | undefined;
}

interface Known {
	readonly source: Source;
	readonly path: string;
	readonly title: string;
}

export function buildPages(sources: readonly Source[], facts: SiteFacts): Page[] {
	const known = new Map(sources.map((source) => [source.path, knownOf(source)]));
	return [...known.values()].map((page) => pageOf(page, known, facts));
}

function knownOf(source: Source): Known {
	const title = /^# (.+)$/m.exec(source.text)?.[1]?.replaceAll("`", "") ?? source.path;
	const path =
		source.path === "README.md" ? "index.html" : source.path.replace(/^docs\//, "").replace(/\.md$/, ".html");
	return { source, path, title };
}

function pageOf(page: Known, known: ReadonlyMap<string, Known>, facts: SiteFacts): Page {
	const { source, path, title } = page;
	const html = Bun.markdown.html(source.text, { headings: true });
	const linked = withLinks(html, page, known, facts);
	const tour = source.path === "docs/tour.md" && facts.tour !== undefined ? frameOf(facts.tour) : "";
	const up = "../".repeat(path.split("/").length - 1);
	const filled = fill(template, {
		title: escapeHtml(path === "index.html" ? "Tau" : `${title} · Tau`),
		root: up,
		version: escapeHtml(facts.version),
		repository: escapeHtml(facts.repository),
		navigation: navigation(path, up, known),
		content: tour === "" ? linked : linked.replace("</h1>", `</h1>\n${tour}`),
	});
	return { path, title, html: filled, parts: partsOf(path, title, linked) };
}

/** A recording runs by itself, and reaches nothing of the page. */
function frameOf(tour: string): string {
	return `<iframe class="tour" title="A recorded session, which plays by itself" sandbox="allow-scripts" src="${escapeHtml(tour)}"></iframe>`;
}

function fill(text: string, values: Readonly<Record<string, string>>): string {
	return text.replace(/\{\{(\w+)\}\}/g, (_, name: string) => values[name] ?? "");
}

/** Links to pages lead to pages, those to other files to the repository. */
function withLinks(
	html: string,
	{ source, path }: Known,
	known: ReadonlyMap<string, Known>,
	{ repository }: SiteFacts,
): string {
	return html.replace(
		/(<(?:a|img)\b[^>]*\b(?:href|src)=")([^"]+)"/g,
		(whole, before: string, target: string) => {
			if (/^(?:[a-z]+:|#|\/)/i.test(target)) return whole;
			const [file = "", ...fragment] = target.split("#");
			const meant = normalize(join(dirname(source.path), decodeURIComponent(file)));
			const suffix = fragment.length > 0 ? `#${fragment.join("#")}` : "";
			const page = known.get(meant);
			const picture = /^docs\/(pictures\/.+)$/.exec(meant)?.[1];
			const here = page?.path ?? picture;
			if (here === undefined) return `${before}${repository}/blob/main/${meant}${suffix}"`;
			return `${before}${relative(dirname(path), here)}${suffix}"`;
		},
	);
}

function navigation(current: string, up: string, known: ReadonlyMap<string, Known>): string {
	const row = ({ path, title }: Known): string => {
		const here = path === current ? ' aria-current="page"' : "";
		return `<li><a href="${up}${path}"${here}>${escapeHtml(title)}</a></li>`;
	};
	const named = new Set(sections.flatMap(({ pages }) => pages.map((name) => `docs/${name}.md`)));
	const rest = [...known.values()].filter(
		({ source }) => source.path.startsWith("docs/") && !named.has(source.path),
	);
	const ofTools = rest.filter(({ source }) => source.path.startsWith("docs/tools/"));
	const others = rest.filter((page) => !ofTools.includes(page));
	const groups = [
		...sections.map(({ title, pages }) => ({
			title,
			pages: pages.flatMap((name) => known.get(`docs/${name}.md`) ?? []),
		})),
		{ title: "Each tool", pages: ofTools },
		{ title: "More", pages: others },
	];
	return groups
		.filter(({ pages }) => pages.length > 0)
		.map(({ title, pages }) => {
			const isOpen =
				pages.some(({ path }) => path === current) || (current === "index.html" && title === "Start");
			return `<details${isOpen ? " open" : ""}><summary>${title}</summary><ul>${pages.map(row).join("")}</ul></details>`;
		})
		.join("\n");
}

/** Text below each heading, without tags. */
function partsOf(path: string, title: string, html: string): Part[] {
	return html.split(/(?=<h[1-3] id=")/).flatMap((part) => {
		const [, id = ""] = /^<h[1-3] id="([^"]*)"/.exec(part) ?? [];
		const heading = plainText(/^<h[1-3][^>]*>(.*?)<\/h[1-3]>/s.exec(part)?.[1] ?? title);
		const text = plainText(part.replace(/^<h[1-3][^>]*>.*?<\/h[1-3]>/s, "")).slice(0, shownChars);
		return text === "" && id === "" ? [] : [{ at: id === "" ? path : `${path}#${id}`, title, heading, text }];
	});
}

/** Of a part, for the search: what follows hardly says anything that its start does not. */
const shownChars = 1500;

function plainText(html: string): string {
	return html
		.replace(/<[^>]+>/g, " ")
		.replace(
			/&(lt|gt|quot|#39|amp);/g,
			(_, name: string) => ({ lt: "<", gt: ">", quot: '"', "#39": "'" })[name] ?? "&",
		)
		.replace(/\s+/g, " ")
		.trim();
}

function escapeHtml(text: string): string {
	return text
		.replaceAll("&", "&amp;")
		.replaceAll("<", "&lt;")
		.replaceAll(">", "&gt;")
		.replaceAll('"', "&quot;");
}
