/** Recorded pages of reference works and papers. */
import type { RecordedSite } from "./recorded-site.ts";

const article = `<div class="mw-parser-output">${"<p>A sentence that belongs to the article, with enough words, and commas, to look like one. </p>".repeat(8)}<table class="wikitable"><tr><th>A</th></tr><tr><td>1</td></tr></table><p><a href="/wiki/Other">Other</a></p></div>`;

export const works: readonly RecordedSite[] = [
	{
		reader: "IACR ePrint",
		url: "https://eprint.iacr.org/2026/123",
		answers: {
			"https://eprint.iacr.org/2026/123":
				"<html><head><title>A proof</title></head><body><nav>menu</nav><main><h3>A proof</h3><p>Abstract</p></main></body></html>",
		},
		title: "A proof",
		includes: ["Abstract"],
	},
	{
		reader: "Choose a License",
		url: "https://choosealicense.com/licenses/mit/",
		answers: {
			"https://raw.githubusercontent.com/github/choosealicense.com/gh-pages/_licenses/mit.txt":
				"---\ntitle: MIT License\n---\n\nMIT License",
		},
		title: "licenses/mit (Choose a License)",
		includes: ["MIT License"],
	},
	{
		reader: "Sourcegraph",
		url: "https://sourcegraph.com/github.com/golang/go@master/-/blob/src/fmt/print.go",
		answers: { "https://sourcegraph.com/github.com/golang/go@master/-/raw/src/fmt/print.go": "package fmt" },
		title: "github.com/golang/go@master/-/blob/src/fmt/print.go (Sourcegraph)",
		includes: ["package fmt"],
	},
	{
		reader: "searchcode",
		url: "https://searchcode.com/file/12345/main.c",
		answers: { "https://searchcode.com/api/result/12345/": { code: "int main() {}" } },
		title: "File 12345 (searchcode)",
		includes: ["int main() {}"],
	},
	{
		reader: "Discogs",
		url: "https://www.discogs.com/release/249504-Title",
		answers: {
			"https://api.discogs.com/releases/249504": {
				title: "An album",
				artists: [{ name: "Ada" }],
				year: 1987,
				genres: ["Pop"],
				labels: [{ name: "RCA", catno: "PB 1" }],
				tracklist: [{ position: "A", title: "A song", duration: "3:32" }],
			},
		},
		title: "An album (Discogs)",
		includes: ["- Artists: Ada", "- A A song 3:32"],
	},
	{
		reader: "MDN",
		url: "https://developer.mozilla.org/en-US/docs/Web/API/fetch",
		answers: {
			"https://developer.mozilla.org/en-US/docs/Web/API/fetch/index.json": {
				doc: {
					title: "fetch()",
					modified: "2026-01-02T00:00:00Z",
					body: [
						{ type: "prose", value: { content: "<p>Starts a request, see <a href='/x'>x</a>.</p>" } },
						{
							type: "prose",
							value: { title: "Syntax", content: "<pre class='brush: js'><code>fetch(r)</code></pre>" },
						},
						{
							type: "specifications",
							value: {
								title: "Specifications",
								specifications: [{ bcdSpecificationURL: "https://spec.example/#f", title: "Fetch <1>" }],
							},
						},
						{
							type: "browser_compatibility",
							value: { title: "Browser compatibility", query: "api.fetch" },
						},
						{ type: "prose", value: { title: "Nothing here" } },
					],
				},
			},
		},
		title: "fetch() (MDN)",
		includes: [
			"[x](https://developer.mozilla.org/x)",
			"## Syntax",
			"```js\nfetch(r)\n```",
			"## Specifications\n\n[Fetch <1>](https://spec.example/#f)",
			"(https://bcd.developer.mozilla.org/bcd/api/v0/current/api.fetch.json)",
			"- Modified: 2026-01-02",
		],
	},
	{
		reader: "Wikipedia",
		url: "https://en.m.wikipedia.org/wiki/Bun_(runtime)",
		answers: {
			"https://en.wikipedia.org/w/api.php?action=parse&page=Bun_(runtime)&redirects=1&prop=text&format=json&formatversion=2&disableeditsection=1&disabletoc=1":
				{ parse: { title: "Bun (runtime)", text: article } },
		},
		title: "Bun (runtime)",
		includes: ["belongs to the article", "[Other](https://en.m.wikipedia.org/wiki/Other)", "| A |"],
	},
	{
		reader: "Wikipedia",
		url: "https://en.wikipedia.org/w/index.php?title=Foo&oldid=123",
		answers: {
			"https://en.wikipedia.org/w/api.php?action=parse&oldid=123&prop=text&format=json&formatversion=2&disableeditsection=1&disabletoc=1":
				{ parse: { title: "Foo", text: article } },
		},
		title: "Foo (revision 123)",
		includes: ["belongs to the article"],
	},
	{
		reader: "Wikidata",
		url: "https://www.wikidata.org/wiki/Q42",
		answers: {
			"https://www.wikidata.org/wiki/Special:EntityData/Q42.json": {
				entities: {
					Q42: {
						labels: { en: { value: "Douglas Adams" } },
						descriptions: { en: { value: "writer" } },
						claims: { P31: [{ mainsnak: { datavalue: { value: { id: "Q5" } } } }] },
					},
				},
			},
		},
		title: "Douglas Adams (Q42)",
		includes: ["writer", "- P31: Q5"],
	},
	{
		reader: "RFC",
		url: "https://datatracker.ietf.org/doc/html/rfc2119",
		answers: {
			"https://www.rfc-editor.org/rfc/rfc2119.txt":
				"Network Working Group                                         S. Bradner\nRequest for Comments: 2119                            Harvard University\n\n\n        Key words for use in RFCs to Indicate Requirement Levels\n\nStatus\n\n\n\nBradner                  Best Current Practice                  [Page 1]\n\fRFC 2119                     RFC Key Words                    March 1997\n\n\n1. MUST   This word\n",
		},
		title: "RFC 2119: Key words for use in RFCs to Indicate Requirement Levels",
		includes: ["Status\n", "1. MUST   This word"],
	},
	{
		reader: "SPDX",
		url: "https://spdx.org/licenses/MIT.html",
		answers: {
			"https://spdx.org/licenses/MIT.json": {
				name: "MIT License",
				licenseId: "MIT",
				isOsiApproved: true,
				licenseText: "Permission is hereby granted",
			},
		},
		title: "MIT License (MIT)",
		includes: ["- OSI approved: yes", "Permission is hereby granted"],
	},
	{
		reader: "tldr",
		url: "https://tldr.inbrowser.app/pages/common/tar",
		answers: { "https://raw.githubusercontent.com/tldr-pages/tldr/main/pages/common/tar.md": "# tar\n" },
		title: "pages/common/tar (tldr)",
		includes: ["# tar"],
	},
	{
		reader: "cheat.sh",
		url: "https://cheat.sh/python/lambda",
		answers: { "https://cheat.sh/python/lambda?T": "f = lambda x: x\n" },
		title: "python/lambda (cheat.sh)",
		includes: ["f = lambda x: x"],
	},
	{
		reader: "NVD",
		url: "https://nvd.nist.gov/vuln/detail/CVE-2021-44228",
		answers: {
			"https://services.nvd.nist.gov/rest/json/cves/2.0?cveId=CVE-2021-44228": {
				vulnerabilities: [
					{
						cve: {
							id: "CVE-2021-44228",
							published: "2021-12-10T00:00:00",
							vulnStatus: "Analyzed",
							descriptions: [
								{ lang: "es", value: "No" },
								{ lang: "en", value: "Log4j" },
							],
							metrics: {
								cvssMetricV31: [
									{ cvssData: { baseScore: 10, baseSeverity: "CRITICAL", vectorString: "CVSS:3.1/AV:N" } },
								],
							},
							weaknesses: [{ description: [{ value: "CWE-502" }] }],
							references: [{ url: "https://x.example/" }],
						},
					},
				],
			},
		},
		title: "CVE-2021-44228",
		includes: [
			"Log4j",
			"- CVSS: 10 CRITICAL (CVSS:3.1/AV:N)",
			"- Weaknesses: CWE-502",
			"- https://x.example/",
		],
	},
	{
		reader: "OSV",
		url: "https://osv.dev/vulnerability/GHSA-xxxx",
		answers: {
			"https://api.osv.dev/v1/vulns/GHSA-xxxx": {
				id: "GHSA-xxxx",
				summary: "Bad",
				published: "2026-01-02T00:00:00Z",
				aliases: ["CVE-1"],
				details: "How",
				affected: [
					{
						package: { ecosystem: "npm", name: "x" },
						ranges: [{ events: [{ introduced: "0" }, { fixed: "1.2" }] }],
					},
				],
			},
		},
		title: "GHSA-xxxx: Bad",
		includes: ["- Aliases: CVE-1", "- npm x: introduced 0, fixed 1.2"],
	},
	{
		reader: "Open Library",
		url: "https://openlibrary.org/works/OL45883W/A_book",
		answers: {
			"https://openlibrary.org/works/OL45883W.json": {
				title: "A book",
				description: { value: "About" },
				subjects: ["Magic"],
			},
		},
		title: "A book",
		includes: ["About", "- Subjects: Magic"],
	},
	{
		reader: "MusicBrainz",
		url: "https://musicbrainz.org/release/01234567-89ab-cdef-0123-456789abcdef",
		answers: {
			"https://musicbrainz.org/ws/2/release/01234567-89ab-cdef-0123-456789abcdef?fmt=json&inc=artists+recordings":
				{
					title: "An album",
					date: "1999",
					country: "DE",
					"artist-credit": [{ name: "Ada" }],
					media: [{ tracks: [{ number: "1", title: "A song" }] }],
				},
		},
		title: "An album (MusicBrainz)",
		includes: ["- Artist: Ada", "- 1 A song"],
	},
	{
		reader: "CoinGecko",
		url: "https://www.coingecko.com/en/coins/bitcoin",
		answers: {
			"https://api.coingecko.com/api/v3/coins/bitcoin?localization=false&tickers=false&community_data=false&developer_data=false":
				{
					name: "Bitcoin",
					symbol: "btc",
					market_data: { current_price: { usd: 1 }, market_cap: { usd: 2 }, price_change_percentage_24h: 3 },
					description: { en: "<p>A coin</p>" },
				},
		},
		title: "Bitcoin (BTC)",
		includes: ["- Price: 1 USD", "A coin"],
	},
	{
		reader: "arXiv",
		url: "https://arxiv.org/abs/1706.03762v7",
		answers: {
			"https://export.arxiv.org/api/query?id_list=1706.03762v7":
				'<feed><title>query</title><entry><title>Attention Is\n  All You Need</title><summary>We &amp; you</summary><published>2017-06-12T00:00:00Z</published><author><name>A. Vaswani</name></author><author><name>N. Shazeer</name></author><category term="cs.CL"/></entry></feed>',
			"https://arxiv.org/html/1706.03762v7": `<html><head><title>Attention</title></head><body><article>${"<p>The dominant models are based on networks, with attention, and nothing else that matters here. </p>".repeat(8)}</article></body></html>`,
		},
		title: "Attention Is All You Need (arXiv 1706.03762v7)",
		includes: [
			"- Authors: A. Vaswani, N. Shazeer",
			"- Categories: cs.CL",
			"## Abstract\n\nWe & you",
			"## Paper\n\nThe dominant models",
		],
	},
	{
		reader: "bioRxiv",
		url: "https://www.biorxiv.org/content/10.1101/2020.01.01.123456v2.full",
		answers: {
			"https://api.biorxiv.org/details/biorxiv/10.1101/2020.01.01.123456": {
				collection: [
					{ title: "Old" },
					{
						title: "A paper",
						authors: "Ada",
						date: "2020-01-02",
						doi: "10.1101/2020.01.01.123456",
						version: "2",
						abstract: "About",
					},
				],
			},
		},
		title: "A paper",
		includes: ["- Version: 2", "About"],
	},
	{
		reader: "Crossref",
		url: "https://doi.org/10.1000/xyz123",
		answers: {
			"https://api.crossref.org/works/10.1000%2Fxyz123": {
				message: {
					title: ["A paper"],
					author: [{ given: "Ada", family: "Lovelace" }],
					"container-title": ["Journal"],
					issued: { "date-parts": [[2020, 1]] },
					DOI: "10.1000/xyz123",
					abstract: "<jats:p>About</jats:p>",
				},
			},
		},
		title: "A paper",
		includes: ["- Authors: Ada Lovelace", "- Published: 2020-1", "About"],
	},
	{
		reader: "PubMed",
		url: "https://pubmed.ncbi.nlm.nih.gov/31452104/",
		answers: {
			"https://eutils.ncbi.nlm.nih.gov/entrez/eutils/efetch.fcgi?db=pubmed&id=31452104&rettype=abstract&retmode=text":
				"\n1. Journal. 2019;1:2.\n\nA title that goes\non.\n\nAda.\n\nAbout.",
		},
		title: "A title that goes on.",
		includes: ["About."],
	},
	{
		reader: "Semantic Scholar",
		url: "https://www.semanticscholar.org/paper/A-title/0123456789abcdef0123456789abcdef01234567",
		answers: {
			"https://api.semanticscholar.org/graph/v1/paper/0123456789abcdef0123456789abcdef01234567?fields=title,abstract,authors,year,venue,citationCount,openAccessPdf,externalIds,tldr":
				{
					title: "A title",
					year: 2020,
					authors: [{ name: "Ada" }],
					tldr: { text: "Short" },
					abstract: "Long",
				},
		},
		title: "A title",
		includes: ["- Year: 2020", "Short", "Long"],
	},
	{
		reader: "ORCID",
		url: "https://orcid.org/0000-0002-1825-0097",
		answers: {
			"https://pub.orcid.org/v3.0/0000-0002-1825-0097/record":
				'{"person":{"name":{"given-names":{"value":"Josiah"},"family-name":{"value":"Carberry"}}},"activities-summary":{"works":{"group":[{"work-summary":[{"title":{"title":{"value":"A work"}},"publication-date":{"year":{"value":"2012"}}}]}]}}}',
		},
		title: "Josiah Carberry",
		includes: ["- A work (2012)"],
	},
];
