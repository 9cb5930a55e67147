/** Sites whose page is one answer of their API: a pattern of paths, an address, and a view of the JSON. */
import { textAt } from "../../json/read.ts";
import { encoded, type SiteIo, type SitePage, type SiteReader } from "./site.ts";

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
			const page = await view(json, io, groups);
			return page && page.title !== "" ? page : undefined;
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
