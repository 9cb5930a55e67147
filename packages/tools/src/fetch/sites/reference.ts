/** Reference works: MDN, Wikipedia, Wikidata, RFCs, licenses, command summaries, vulnerabilities, books, music, prices. */
import { at, firstText, listAt, numberAt, textAt } from "../../json/read.ts";
import { apiSite } from "./api-site.ts";
import {
	day,
	decoded,
	encoded,
	facts,
	optional,
	paragraphs,
	section,
	SiteFailure,
	type SiteIo,
	type SitePage,
	type SiteReader,
} from "./site.ts";

const mdn: SiteReader = {
	name: "MDN",
	hosts: ["developer.mozilla.org"],
	async read({ url, parts: [, docs] }, io) {
		if (docs !== "docs") return undefined;
		const json = await io.json(`https://developer.mozilla.org${url.pathname.replace(/\/$/, "")}/index.json`);
		const sections = listAt(json, "doc.body").map((each) => {
			const heading = textAt(each, "value.title");
			const level = at(each, "value.isH3") === true ? "h3" : "h2";
			const content = textAt(each, "value.content") || mdnLinks(each);
			return `${heading === "" || content === "" ? "" : `<${level}>${heading}</${level}>`}${content}`;
		});
		const text = await io.markdown(sections.join("\n"));
		return {
			title: `${textAt(json, "doc.title")} (MDN)`,
			text: paragraphs(text, facts(["Modified", day(textAt(json, "doc.modified"))])),
		};
	},
};

/** What a page of MDN fills in later, from data elsewhere: versions of browsers, and specifications. */
function mdnLinks(part: unknown): string {
	const query = textAt(part, "value.query");
	const specifications = listAt(part, "value.specifications");
	const links =
		query === ""
			? specifications.map((each) => [textAt(each, "bcdSpecificationURL"), textAt(each, "title")])
			: [
					[
						`https://bcd.developer.mozilla.org/bcd/api/v0/current/${query}.json`,
						"Versions of browsers (JSON)",
					],
				];
	return links
		.map(([url = "", title = ""]) => `<p><a href="${Bun.escapeHTML(url)}">${Bun.escapeHTML(title)}</a></p>`)
		.join("");
}

const wikipedia: SiteReader = {
	name: "Wikipedia",
	hosts: [".wikipedia.org", ".wiktionary.org", ".wikibooks.org"],
	async read({ url, parts: [kind, ...path] }, io) {
		const title = kind === "wiki" ? path.join("/") : (url.searchParams.get("title") ?? "");
		// A comparison, a history or an editor is another page.
		if (url.searchParams.has("diff") || !/^(?:view)?$/.test(url.searchParams.get("action") ?? ""))
			return undefined;
		const revision = url.searchParams.get("oldid") ?? "";
		if (!/^\d*$/.test(revision) || title === "" || /^(?:Special|File|Talk|User):/i.test(decoded(title)))
			return undefined;
		const host = url.hostname.replace(/^(\w+)\.m\./, "$1.");
		const json = await io.json(
			`https://${host}/w/api.php?action=parse&${revision === "" ? `page=${encoded(title)}&redirects=1` : `oldid=${revision}`}&prop=text&format=json&formatversion=2&disableeditsection=1&disabletoc=1`,
		);
		const html = textAt(json, "parse.text");
		if (html === "") throw new SiteFailure("no such article");
		const name = textAt(json, "parse.title");
		return {
			title: revision === "" ? name : `${name} (revision ${revision})`,
			text: await io.article(html),
		};
	},
};

const wikidata = apiSite("Wikidata", {
	hosts: ["www.wikidata.org"],
	path: /^\/(?:wiki|entity)\/([QPL]\d+)$/,
	address: ([id]) => `https://www.wikidata.org/wiki/Special:EntityData/${id}.json`,
	view: (json, _io, [id = ""]) => {
		const entity = at(json, `entities.${id}`);
		const claims = Object.entries(Object(at(entity, "claims"))).map(([property, statements]) => {
			const values = (Array.isArray(statements) ? statements : []).map((each) => {
				const value = at(each, "mainsnak.datavalue.value");
				return typeof value === "string" ? value : firstText(value, "id", "time", "amount", "text");
			});
			return `- ${property}: ${values.join(", ")}`;
		});
		return {
			title: `${firstText(entity, "labels.en.value", "labels.mul.value")} (${id})`,
			text: paragraphs(textAt(entity, "descriptions.en.value"), section("Statements", claims.join("\n"))),
		};
	},
});

const rfc: SiteReader = {
	name: "RFC",
	hosts: ["www.rfc-editor.org", "rfc-editor.org", "datatracker.ietf.org", "tools.ietf.org"],
	async read({ url }, io) {
		const [, number] = /\/rfc0*(\d+)(?:\.(?:html|txt|xml))?\/?$/i.exec(url.pathname) ?? [];
		if (number === undefined) return undefined;
		const text = await io.text(`https://www.rfc-editor.org/rfc/rfc${number}.txt`);
		if (!/Request for Comments/i.test(text)) throw new SiteFailure("no such RFC");
		return { title: `RFC ${number}: ${rfcTitle(text)}`, text: withoutPages(text) };
	},
};

/** The centered lines after the header, up to an empty one. */
function rfcTitle(text: string): string {
	const [, title = ""] = /\n\n\n? {8,}(\S[^\n]*(?:\n {3,}\S[^\n]*)*)\n\n/.exec(text) ?? [];
	return title.replace(/\s+/g, " ").trim();
}

/** Older RFCs are divided into printed pages, each with a footer and a header. */
function withoutPages(text: string): string {
	return text
		.replace(/\r/g, "")
		.replace(/\n{1,8}[^\n]{0,80}\[Page \d+\]\n\f?\n?(?:RFC \d+[^\n]*\n)?/g, "\n")
		.replaceAll("\f", "")
		.replace(/\n{4,}/g, "\n\n\n");
}

const spdx = apiSite("SPDX", {
	hosts: ["spdx.org"],
	path: /^\/licenses\/([^/]+?)(?:\.html)?$/,
	address: ([id]) => `https://spdx.org/licenses/${id}.json`,
	view: (json) => ({
		title: `${textAt(json, "name")} (${textAt(json, "licenseId")})`,
		text: paragraphs(
			facts(
				["OSI approved", at(json, "isOsiApproved") === true ? "yes" : "no"],
				["Deprecated", at(json, "isDeprecatedLicenseId") === true ? "yes" : ""],
			),
			textAt(json, "licenseText"),
		),
	}),
});

/** Texts for a terminal that are Markdown or plain at another address. */
function textSite(
	name: string,
	hosts: readonly string[],
	address: (parts: readonly string[]) => string | undefined,
): SiteReader {
	return {
		name,
		hosts,
		async read({ parts }, io): Promise<SitePage | undefined> {
			const target = address(parts);
			if (target === undefined) return undefined;
			return {
				title: `${parts.map(decoded).join("/")} (${name})`,
				text: (await io.text(target, { accept: "text/plain" })).trim(),
			};
		},
	};
}

const tldr = textSite("tldr", ["tldr.inbrowser.app", "tldr.sh"], ([pages, platform, name]) =>
	pages === "pages" && platform !== undefined && name !== undefined
		? `https://raw.githubusercontent.com/tldr-pages/tldr/main/pages/${platform}/${name.replace(/\.md$/, "")}.md`
		: undefined,
);

const cheatSh = textSite("cheat.sh", ["cheat.sh", "cht.sh"], (parts) =>
	parts.length === 0 ? undefined : `https://cheat.sh/${parts.join("/")}?T`,
);

const nvd = apiSite("NVD", {
	hosts: ["nvd.nist.gov"],
	path: /^\/vuln\/detail\/(CVE-\d{4}-\d{4,})/i,
	address: ([id]) => `https://services.nvd.nist.gov/rest/json/cves/2.0?cveId=${id}`,
	view: (json) => {
		const cve = at(json, "vulnerabilities.0.cve");
		const metric =
			at(cve, "metrics.cvssMetricV40.0.cvssData") ??
			at(cve, "metrics.cvssMetricV31.0.cvssData") ??
			at(cve, "metrics.cvssMetricV30.0.cvssData");
		const english = listAt(cve, "descriptions").find((each) => textAt(each, "lang") === "en");
		return {
			title: textAt(cve, "id"),
			text: paragraphs(
				textAt(english, "value"),
				facts(
					["Published", day(textAt(cve, "published"))],
					["Status", textAt(cve, "vulnStatus")],
					[
						"CVSS",
						metric === undefined
							? ""
							: `${textAt(metric, "baseScore")} ${textAt(metric, "baseSeverity")} (${textAt(metric, "vectorString")})`,
					],
					[
						"Weaknesses",
						listAt(cve, "weaknesses")
							.map((each) => textAt(each, "description.0.value"))
							.join(", "),
					],
					["Exploited, by CISA", day(textAt(cve, "cisaExploitAdd"))],
				),
				section(
					"References",
					listAt(cve, "references")
						.map((each) => `- ${textAt(each, "url")}`)
						.join("\n"),
				),
			),
		};
	},
});

const osv = apiSite("OSV", {
	hosts: ["osv.dev"],
	path: /^\/vulnerability\/([^/]+)/,
	address: ([id]) => `https://api.osv.dev/v1/vulns/${id}`,
	view: (json) => {
		const affected = listAt(json, "affected").map((each) => {
			const events = listAt(each, "ranges").flatMap((range) =>
				listAt(range, "events").flatMap((event) =>
					Object.entries(Object(event)).map(([kind, version]) => `${kind} ${String(version)}`),
				),
			);
			return `- ${textAt(each, "package.ecosystem")} ${textAt(each, "package.name")}: ${events.join(", ")}`;
		});
		return {
			title: `${textAt(json, "id")}: ${textAt(json, "summary")}`,
			text: paragraphs(
				facts(
					["Published", day(textAt(json, "published"))],
					["Aliases", listAt(json, "aliases").join(", ")],
					["Severity", textAt(json, "severity.0.score")],
				),
				textAt(json, "details"),
				section("Affected", affected.join("\n")),
				section(
					"References",
					listAt(json, "references")
						.map((each) => `- ${textAt(each, "url")}`)
						.join("\n"),
				),
			),
		};
	},
});

const openLibrary = apiSite("Open Library", {
	hosts: ["openlibrary.org"],
	path: /^\/(works|books|authors)\/(OL\w+)/,
	address: ([kind, id]) => `https://openlibrary.org/${kind}/${id}.json`,
	view: (json) => ({
		title: firstText(json, "title", "name"),
		text: paragraphs(
			firstText(json, "description.value", "description", "bio.value", "bio"),
			facts(
				["Published", firstText(json, "publish_date", "first_publish_date")],
				["Publisher", listAt(json, "publishers").join(", ")],
				["ISBN", [...listAt(json, "isbn_13"), ...listAt(json, "isbn_10")].join(", ")],
				["Pages", numberAt(json, "number_of_pages")],
				["Subjects", listAt(json, "subjects").slice(0, 20).join(", ")],
			),
		),
	}),
});

const musicBrainz = apiSite("MusicBrainz", {
	hosts: ["musicbrainz.org"],
	path: /^\/(artist|release|release-group|recording|work)\/([0-9a-f-]{36})/,
	address: ([kind, id]) => {
		const more =
			kind === "artist"
				? "release-groups"
				: kind === "release"
					? "artists+recordings"
					: kind === "work"
						? "artist-rels"
						: "artists+releases";
		return `https://musicbrainz.org/ws/2/${kind}/${id}?fmt=json&inc=${more}`;
	},
	view: (json) => {
		const tracks = listAt(json, "media").flatMap((medium) =>
			listAt(medium, "tracks").map((each) => `- ${textAt(each, "number")} ${textAt(each, "title")}`),
		);
		const releases = [...listAt(json, "release-groups"), ...listAt(json, "releases")].map(
			(each) => `- ${textAt(each, "title")} (${firstText(each, "first-release-date", "date")})`,
		);
		return {
			title: `${firstText(json, "title", "name")} (MusicBrainz)`,
			text: paragraphs(
				facts(
					[
						"Artist",
						listAt(json, "artist-credit")
							.map((each) => textAt(each, "name"))
							.join(", "),
					],
					["Date", firstText(json, "date", "first-release-date", "life-span.begin")],
					["Country", textAt(json, "country")],
					["About", textAt(json, "disambiguation")],
				),
				section("Tracks", tracks.join("\n")),
				section("Releases", releases.join("\n")),
			),
		};
	},
});

const coinGecko = apiSite("CoinGecko", {
	hosts: ["www.coingecko.com"],
	path: /^\/[a-z]{2}\/coins\/([^/]+)/,
	address: ([id]) =>
		`https://api.coingecko.com/api/v3/coins/${id}?localization=false&tickers=false&community_data=false&developer_data=false`,
	view: async (json, io: SiteIo) => ({
		title: `${textAt(json, "name")} (${textAt(json, "symbol").toUpperCase()})`,
		text: paragraphs(
			facts(
				["Price", `${textAt(json, "market_data.current_price.usd")} USD`],
				["Market capitalization", `${textAt(json, "market_data.market_cap.usd")} USD`],
				["Change in 24 hours", `${textAt(json, "market_data.price_change_percentage_24h")} %`],
				["Home page", textAt(json, "links.homepage.0")],
			),
			await optional(io.markdown(textAt(json, "description.en")), ""),
		),
	}),
});

const chooseLicense = textSite("Choose a License", ["choosealicense.com"], ([kind, id]) =>
	kind === "licenses" && id !== undefined
		? `https://raw.githubusercontent.com/github/choosealicense.com/gh-pages/_licenses/${id.toLowerCase()}.txt`
		: undefined,
);

const sourcegraph = textSite("Sourcegraph", ["sourcegraph.com"], (parts) => {
	const dash = parts.indexOf("-");
	const isFile = dash > 1 && parts[dash + 1] === "blob" && parts.length > dash + 2;
	return isFile
		? `https://sourcegraph.com/${parts.slice(0, dash).join("/")}/-/raw/${parts.slice(dash + 2).join("/")}`
		: undefined;
});

const searchcode = apiSite("searchcode", {
	hosts: ["searchcode.com"],
	path: /^\/(?:file|codesearch\/view)\/(\d+)/,
	address: ([id]) => `https://searchcode.com/api/result/${id}/`,
	view: (json, _io, [id = ""]) => ({ title: `File ${id} (searchcode)`, text: textAt(json, "code") }),
});

const discogs = apiSite("Discogs", {
	hosts: ["www.discogs.com"],
	path: /^\/(?:[a-z]{2}\/)?(release|master|artist|label)\/(\d+)/,
	address: ([kind, id]) => `https://api.discogs.com/${kind}s/${id}`,
	view: (json) => ({
		title: `${firstText(json, "title", "name")} (Discogs)`,
		text: paragraphs(
			facts(
				[
					"Artists",
					listAt(json, "artists")
						.map((each) => textAt(each, "name"))
						.join(", "),
				],
				["Year", numberAt(json, "year")],
				["Genres", [...listAt(json, "genres"), ...listAt(json, "styles")].join(", ")],
				[
					"Labels",
					listAt(json, "labels")
						.map((each) => `${textAt(each, "name")} ${textAt(each, "catno")}`)
						.join(", "),
				],
			),
			firstText(json, "profile", "notes"),
			section(
				"Tracks",
				listAt(json, "tracklist")
					.map((each) =>
						`- ${textAt(each, "position")} ${textAt(each, "title")} ${textAt(each, "duration")}`.trimEnd(),
					)
					.join("\n"),
			),
		),
	}),
});

export const references: readonly SiteReader[] = [
	mdn,
	wikipedia,
	wikidata,
	rfc,
	spdx,
	tldr,
	cheatSh,
	nvd,
	osv,
	openLibrary,
	musicBrainz,
	coinGecko,
	chooseLicense,
	sourcegraph,
	searchcode,
	discogs,
];
