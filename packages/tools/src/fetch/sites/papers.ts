/** Papers and their authors: arXiv as text, bioRxiv, PubMed, Crossref, Semantic Scholar, ORCID. */
import { at, listAt, numberAt, textAt } from "../../json/read.ts";
import { limits } from "../limits.ts";
import { apiSite, partOf } from "./api-site.ts";
import {
	between,
	day,
	facts,
	optional,
	paragraphs,
	section,
	SiteFailure,
	type SiteIo,
	type SitePage,
	type SiteReader,
} from "./site.ts";

const arxiv: SiteReader = {
	name: "arXiv",
	hosts: ["arxiv.org", "www.arxiv.org", "export.arxiv.org"],
	async read({ parts: [kind = "", ...rest] }, io) {
		const id = rest.join("/").replace(/\.pdf$/, "");
		if (
			!["abs", "pdf", "html"].includes(kind) ||
			!/^(?:\d{4}\.\d{4,5}|[a-z-]+(?:\.[A-Z]{2})?\/\d{7})(?:v\d+)?$/.test(id)
		)
			return undefined;
		const [feed, paper] = await Promise.all([
			io.text(`https://export.arxiv.org/api/query?id_list=${id}`, { accept: "application/atom+xml" }),
			fullText(id, io),
		]);
		const entry = between(feed, "<entry>", "</entry>")?.slice(0, limits.siteEntryChars) ?? "";
		const field = (name: string): string => inner(entry, name)[0] ?? "";
		if (field("title") === "") throw new SiteFailure("no such paper");
		return {
			title: `${field("title")} (arXiv ${id})`,
			text: paragraphs(
				facts(
					["Authors", inner(entry, "name").join(", ")],
					["Published", day(field("published"))],
					["Updated", day(field("updated"))],
					[
						"Categories",
						[...entry.matchAll(/<category[^>]*term="([^"]+)"/g)].map(([, term]) => term).join(", "),
					],
					["DOI", field("arxiv:doi")],
					["Comment", field("arxiv:comment")],
				),
				section("Abstract", field("summary")),
				section("Paper", paper),
			),
		};
	},
};

/** Most papers have an HTML form; the PDF is read where there is none. */
async function fullText(id: string, io: SiteIo): Promise<string> {
	const html = await optional(io.page(`https://arxiv.org/html/${id}`), undefined);
	if (html !== undefined && html.text !== "") return html.text;
	return (await optional(io.page(`https://arxiv.org/pdf/${id}`), { title: "", text: "" })).text;
}

/** The texts of all elements of a name, on one line each. */
function inner(xml: string, name: string): string[] {
	return [...xml.matchAll(new RegExp(`<${name}(?:\\s[^>]*)?>([\\s\\S]*?)</${name}>`, "g"))].map(
		([, text = ""]) =>
			text
				.replace(/<[^>]+>/g, "")
				.replace(/&(amp|lt|gt|quot|apos);/g, (entity, word: string) => entities[word] ?? entity)
				.replace(/\s+/g, " ")
				.trim(),
	);
}

const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

const biorxiv: SiteReader = {
	name: "bioRxiv",
	hosts: ["www.biorxiv.org", "www.medrxiv.org"],
	async read({ url }, io) {
		const [, doi] =
			/^\/content\/(10\.\d{4,}\/[\w.]+?)(?:v\d+)?(?:\.full|\.abstract)?(?:\.pdf|-text)?$/.exec(
				url.pathname,
			) ?? [];
		if (doi === undefined) return undefined;
		const server = url.hostname.includes("medrxiv") ? "medrxiv" : "biorxiv";
		const json = listAt(await io.json(`https://api.biorxiv.org/details/${server}/${doi}`), "collection").at(
			-1,
		);
		return {
			title: textAt(json, "title"),
			text: paragraphs(
				facts(
					["Authors", textAt(json, "authors")],
					["Date", textAt(json, "date")],
					["DOI", textAt(json, "doi")],
					["Version", textAt(json, "version")],
					["Category", textAt(json, "category")],
					["Published as", textAt(json, "published")],
				),
				section("Abstract", textAt(json, "abstract")),
			),
		};
	},
};

const crossref = apiSite("Crossref", {
	hosts: ["doi.org", "dx.doi.org"],
	path: /^\/(10\.\d{4,}\/.+)$/,
	address: ([doi]) => `https://api.crossref.org/works/${doi}`,
	view: async (json, io) => {
		const work = at(json, "message");
		return {
			title: textAt(work, "title.0"),
			text: paragraphs(
				facts(
					[
						"Authors",
						listAt(work, "author")
							.map((each) => `${textAt(each, "given")} ${textAt(each, "family")}`.trim())
							.join(", "),
					],
					["In", textAt(work, "container-title.0")],
					["Published", listAt(work, "issued.date-parts.0").join("-")],
					["Publisher", textAt(work, "publisher")],
					["DOI", textAt(work, "DOI")],
					["Cited by", numberAt(work, "is-referenced-by-count")],
					["Link", textAt(work, "URL")],
				),
				section("Abstract", await io.markdown(textAt(work, "abstract").replace(/<(\/?)jats:/g, "<$1"))),
			),
		};
	},
});

const pubmed: SiteReader = {
	name: "PubMed",
	hosts: ["pubmed.ncbi.nlm.nih.gov"],
	async read({ parts: [id = ""] }, io): Promise<SitePage | undefined> {
		if (!/^\d+$/.test(id)) return undefined;
		const text = await io.text(
			`https://eutils.ncbi.nlm.nih.gov/entrez/eutils/efetch.fcgi?db=pubmed&id=${id}&rettype=abstract&retmode=text`,
			{ accept: "text/plain" },
		);
		const [, title = ""] = text.trim().split("\n\n");
		return { title: title.replace(/\s+/g, " ").trim() || `PubMed ${id}`, text: text.trim() };
	},
};

const semanticScholar = apiSite("Semantic Scholar", {
	hosts: ["www.semanticscholar.org"],
	path: /^\/paper\/(?:[^/]+\/)?([0-9a-f]{40})/,
	address: ([id]) =>
		`https://api.semanticscholar.org/graph/v1/paper/${id}?fields=title,abstract,authors,year,venue,citationCount,openAccessPdf,externalIds,tldr`,
	view: (json) => ({
		title: textAt(json, "title"),
		text: paragraphs(
			facts(
				[
					"Authors",
					listAt(json, "authors")
						.map((each) => textAt(each, "name"))
						.join(", "),
				],
				["Year", numberAt(json, "year")],
				["Venue", textAt(json, "venue")],
				["Citations", numberAt(json, "citationCount")],
				["PDF", textAt(json, "openAccessPdf.url")],
				["DOI", textAt(json, "externalIds.DOI")],
			),
			section("Summary", textAt(json, "tldr.text")),
			section("Abstract", textAt(json, "abstract")),
		),
	}),
});

const orcid = apiSite("ORCID", {
	hosts: ["orcid.org"],
	path: /^\/(\d{4}-\d{4}-\d{4}-\d{3}[\dX])$/,
	address: ([id]) => `https://pub.orcid.org/v3.0/${id}/record`,
	accept: "application/json",
	view: (json) => {
		const works = listAt(json, "activities-summary.works.group").map((group) => {
			const work = at(group, "work-summary.0");
			return `- ${textAt(work, "title.title.value")} (${textAt(work, "publication-date.year.value")})`;
		});
		return {
			title:
				`${textAt(json, "person.name.given-names.value")} ${textAt(json, "person.name.family-name.value")}`.trim(),
			text: paragraphs(
				textAt(json, "person.biography.content"),
				section("Works", works.slice(0, 100).join("\n")),
			),
		};
	},
});

const eprint = partOf(
	"IACR ePrint",
	["eprint.iacr.org"],
	["<main", "</main>"],
	([year = "", number = ""]) => /^\d{4}$/.test(year) && /^\d+$/.test(number),
);

export const papers: readonly SiteReader[] = [
	arxiv,
	biorxiv,
	crossref,
	pubmed,
	semanticScholar,
	orcid,
	eprint,
];
