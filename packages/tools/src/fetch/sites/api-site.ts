/** Sites whose page is one answer of their API, or one part of their HTML. */
import { textAt } from "../../json/read.ts";
import { between, encoded, type SiteIo, type SitePage, type SiteReader } from "./site.ts";

/** A pattern of paths, an address, and a view of the JSON. */
interface ApiSite {
	readonly hosts: readonly string[];
	/** The path of a page; its groups are what the address is made of. */
	readonly path: RegExp;
	/** The groups are encoded for a path or a query. */
	address(groups: readonly string[], url: URL): string;
	view(
		json: unknown,
		io: SiteIo,
		groups: readonly string[],
		url: URL,
	): SitePage | undefined | Promise<SitePage | undefined>;
	readonly accept?: string;
}

export function apiSite(name: string, { hosts, path, address, view, accept }: ApiSite): SiteReader {
	return {
		name,
		hosts,
		async read({ url }, io) {
			const match = path.exec(url.pathname);
			if (!match) return undefined;
			const groups = match.slice(1).map((group) => (group ? encoded(group) : ""));
			const json = await io.json(address(groups, url), accept === undefined ? {} : { accept });
			const page = await view(json, io, groups, url);
			return page && page.title !== "" ? page : undefined;
		},
	};
}

/** Sites whose HTML has more than the page: only a part of it is read. */
export function partOf(
	name: string,
	hosts: readonly string[],
	[start, end]: readonly [string, string],
	isPage: (parts: readonly string[]) => boolean,
): SiteReader {
	return {
		name,
		hosts,
		async read({ url, parts }, io): Promise<SitePage | undefined> {
			if (!isPage(parts)) return undefined;
			const html = await io.text(url.href, { accept: "text/html" });
			const main = between(html, start, end);
			if (main === undefined) return undefined;
			// The rest of the start tag.
			const text = await io.markdown(main.slice(main.indexOf(">") + 1));
			return { title: await io.markdown(between(html, "<title>", "</title>") ?? ""), text };
		},
	};
}

/** The license of a package, which is a text or an object. */
export function licenseAt(json: unknown, path: string): string {
	return textAt(json, path) || textAt(json, `${path}.type`) || textAt(json, `${path}.name`);
}

/** A repository as packages write it: `git+https://…`. */
export function plainAddress(text: string): string {
	return text.replace(/^git\+/, "").replace(/\.git$/, "");
}
