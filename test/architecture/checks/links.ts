/** Every relative link on a page of the documentation resolves to an existing file and heading. */
import { posix } from "node:path";
import { findAnchors, findLinks } from "../markdown.ts";
import { isAside } from "../paths.ts";
import { listFiles, readFiles } from "../tree.ts";
import type { PageLink } from "../markdown.ts";
import type { Problem } from "../problem.ts";

type Tree = { places: Set<string>; anchors: Map<string, Set<string>> };

export async function links(root: string): Promise<Problem[]> {
	const [files, pages] = await Promise.all([listFiles(root), readFiles(root, isPage)]);
	const folders = files.flatMap((file) => parents(file));
	const tree: Tree = {
		places: new Set([...files, ...folders]),
		anchors: new Map(pages.map(({ path, text }) => [path, findAnchors(text)])),
	};
	return pages.flatMap(({ path, text }) =>
		findLinks(text).flatMap((link): Problem[] => {
			const message = judge(path, link, tree);
			return message ? [{ file: path, line: link.line, message }] : [];
		}),
	);
}

/** Documentation. Prompts are templates for models, and their brackets are not links. */
function isPage(path: string): boolean {
	if (!path.endsWith(".md") || isAside(path)) return false;
	return !path.includes("/") || path.startsWith("docs/") || /(?:^|\/)(?:README|AGENTS)\.md$/.test(path);
}

function judge(page: string, { target }: PageLink, { places, anchors }: Tree): string | undefined {
	if (/^[a-z][a-z\d+.-]*:|^\/\//i.test(target)) return undefined;
	const [address = "", anchor] = target.split("#");
	const place = address === "" ? page : resolve(page, address);
	if (place.startsWith(".."))
		return `"${target}" leaves the repository: readers do not have what is out there`;
	if (!places.has(place)) return `"${target}" leads to ${place}, which is not there: correct the path`;
	const known = anchors.get(place);
	if (!anchor || known === undefined || known.has(decode(anchor))) return undefined;
	return `"${target}" names no heading of ${place}; it has: ${[...known].join(", ")}`;
}

function resolve(page: string, address: string): string {
	const path = decode(address.split("?")[0] ?? "");
	const from = path.startsWith("/") ? "." : posix.dirname(page);
	return posix.join(from, path).replace(/(?<=.)\/$/, "");
}

function decode(text: string): string {
	try {
		return decodeURIComponent(text);
	} catch {
		// A lone percent sign is part of a name, not an escape.
		return text;
	}
}

function parents(file: string): string[] {
	const parent = posix.dirname(file);
	return parent === "." ? ["."] : [parent, ...parents(parent)];
}
