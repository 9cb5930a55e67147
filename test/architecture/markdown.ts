/** Reads the parts of a Markdown page that the checks use: links, anchors and tables. */

/** Lines of the page with code blocks emptied, which keeps the line numbers. */
function proseLines(page: string): string[] {
	let fence: string | undefined;
	return page.split("\n").map((line) => {
		const mark = /^\s*(`{3,}|~{3,})/.exec(line)?.[1];
		if (fence === undefined && mark === undefined) return line;
		if (fence === undefined) fence = mark;
		else if (mark?.startsWith(fence) && /^\s*[`~]+\s*$/.test(line)) fence = undefined;
		return "";
	});
}

export type PageLink = { target: string; line: number };

const links = [
	/\[(?:[^\][]|\[[^\][]*\])*\]\(\s*<?([^)\s>]+)>?(?:\s+["'(][^)]*)?\s*\)/g,
	/^\s{0,3}\[[^\]]+\]:\s*<?([^\s>]+)/g,
	/<(?:a|img)\b[^>]*?\b(?:href|src)=["']([^"']+)["']/g,
];

export function findLinks(page: string): PageLink[] {
	return proseLines(page).flatMap((text, index) => {
		const line = text.replace(/(`+)(?:(?!\1).)*\1/g, (code) => " ".repeat(code.length));
		const targets = links.flatMap((form) => [...line.matchAll(form)].map(([, target = ""]) => target));
		return targets.map((target) => ({ target, line: index + 1 }));
	});
}

/** The names that a link's #part can have: headings as GitHub names them, and explicit ids. */
export function findAnchors(page: string): Set<string> {
	const anchors = new Set<string>();
	const lines = proseLines(page);
	for (const [index, line] of lines.entries()) {
		for (const [, id = ""] of line.matchAll(/<[a-z]+\b[^>]*?\b(?:id|name)=["']([^"']+)["']/g))
			anchors.add(id);
		const underlined = /^(?:=+|-+)\s*$/.test(lines[index + 1] ?? "") && /^\s{0,3}[^\s|>-]/.test(line);
		const heading =
			/^\s{0,3}#{1,6}\s+(.*?)\s*#*\s*$/.exec(line)?.[1] ?? (underlined ? line.trim() : undefined);
		if (heading !== undefined) anchors.add(unusedName(slug(heading), anchors));
	}
	return anchors;
}

function slug(heading: string): string {
	const words = heading.replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1").toLowerCase();
	return words.replace(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, "").replaceAll(" ", "-");
}

function unusedName(name: string, taken: Set<string>): string {
	if (!taken.has(name)) return name;
	let count = 1;
	while (taken.has(`${name}-${count}`)) count++;
	return `${name}-${count}`;
}

export type Row = { cells: string[]; line: number };
export type Table = { header: Row; rows: Row[] };

export function findTables(page: string): Table[] {
	const tables: Table[] = [];
	const lines = proseLines(page);
	let open: Table | undefined;
	for (const [index, text] of lines.entries()) {
		const row: Row = { cells: cellsOf(text), line: index + 1 };
		if (!text.includes("|") || text.trim() === "") open = undefined;
		else if (open === undefined) {
			if (!isRuler(lines[index + 1] ?? "")) continue;
			open = { header: row, rows: [] };
			tables.push(open);
		} else if (!(isRuler(text) && open.header.line === index)) open.rows.push(row);
	}
	return tables;
}

function isRuler(line: string): boolean {
	return line.includes("|") && /^[\s|:-]+$/.test(line) && line.includes("-");
}

function cellsOf(line: string): string[] {
	const inner = line
		.trim()
		.replace(/^\|/, "")
		.replace(/(?<!\\)\|$/, "");
	return inner.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll("\\|", "|"));
}
