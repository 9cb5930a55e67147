/** Every site reader asks for exactly the recorded addresses, and shows what was recorded. */
import { describe, expect, test } from "bun:test";

import type { FetchedPage, PageProblem } from "../page.ts";
import { readSite, siteReaders, type SiteMeans } from "./index.ts";
import { apps } from "./testing/apps.ts";
import { codeHosts } from "./testing/code-hosts.ts";
import { packages } from "./testing/packages.ts";
import type { RecordedSite } from "./testing/recorded-site.ts";
import { talks } from "./testing/talks.ts";
import { works } from "./testing/works.ts";

const recorded = [...codeHosts, ...packages, ...apps, ...talks, ...works];

interface Asked {
	address: string;
	headers: Readonly<Record<string, string>>;
	ownHeaders: Readonly<Record<string, string>>;
	body: string | undefined;
}

/** Answers with what was recorded; everything else does not exist. */
function playing(
	answers: RecordedSite["answers"],
	{ token, asked = [] }: { token?: (hasFailed: boolean) => string | undefined; asked?: Asked[] } = {},
): SiteMeans {
	return {
		signal: new AbortController().signal,
		githubToken: async (hasFailed) => token?.(hasFailed),
		variable: (name) => (name === "GITLAB_TOKEN" ? "glpat-1" : undefined),
		async fetch(address, { headers = {}, ownHeaders = {}, body }): Promise<FetchedPage | PageProblem> {
			asked.push({ address, headers, ownHeaders, body });
			if (!Object.hasOwn(answers, address))
				return { ok: false, problem: "not-found", message: "no", status: 404 };
			const answer = answers[address];
			const text = typeof answer === "string" ? answer : JSON.stringify(answer);
			const contentType = text.startsWith("<html") ? "text/html" : "application/json";
			return { ok: true, url: address, contentType, bytes: new TextEncoder().encode(text), truncated: false };
		},
	};
}

test.each(recorded.map((each) => [each.url, each] as const))("%s", async (url, site) => {
	const asked: Asked[] = [];
	const page = await readSite(url, playing(site.answers, { asked }));
	expect(page?.title).toBe(site.title);
	for (const text of site.includes) expect(page?.text).toContain(text);
	expect(asked.map(({ address }) => address).toSorted()).toEqual(Object.keys(site.answers).toSorted());
});

test("every reader has a recorded page", () => {
	const names = new Set(recorded.map(({ reader }) => reader));
	expect(siteReaders.map(({ name }) => name).filter((name) => !names.has(name))).toEqual([]);
});

test.each(["https://github.com/a/b/commit/abc", "https://github.com/a/b/pull/5/commits/abc"])(
	"a commit is its message and its diff: %s",
	async (url) => {
		const address = "https://api.github.com/repos/a/b/commits/abc";
		const means = playing({});
		const page = await readSite(url, {
			...means,
			fetch: async (_, { headers }) => {
				const isDiff = headers?.Accept?.includes("diff") === true;
				const json = {
					sha: "abcdef0123456789",
					commit: { message: "Fix\n\nWhy", author: { name: "Ada", date: "2026-01-02T00:00:00Z" } },
					stats: { additions: 1, deletions: 2 },
				};
				const bytes = new TextEncoder().encode(isDiff ? "diff --git" : JSON.stringify(json));
				return { ok: true, url: address, contentType: "", bytes, truncated: false };
			},
		});
		expect(page?.title).toBe("Fix (a/b@abcdef012345)");
		expect(page?.text).toContain("- Changes: +1 -2\n\nWhy\n\n```diff\ndiff --git\n```");
	},
);

test.each([
	"https://github.com/a/b/pull/5/unknown",
	"https://en.wikipedia.org/w/index.php?title=Foo&diff=2&oldid=1",
	"https://en.wikipedia.org/w/index.php?title=Foo&action=history",
])("what a reader does not know is left to the page: %s", async (url) => {
	const asked: Asked[] = [];
	expect(await readSite(url, playing({}, { asked }))).toBeUndefined();
	expect(asked).toEqual([]);
});

describe("tokens", () => {
	const issue = codeHosts.find(({ url }) => url.endsWith("/issues/12"));

	test("of GitHub are sent to its API alone", async () => {
		const asked: Asked[] = [];
		await readSite(issue?.url ?? "", playing(issue?.answers ?? {}, { token: () => "ghp_1", asked }));
		expect(asked).toHaveLength(2);
		for (const { address, headers, ownHeaders } of asked) {
			expect(new URL(address).host).toBe("api.github.com");
			expect(ownHeaders.Authorization).toBe("Bearer ghp_1");
			expect(headers).not.toHaveProperty("Authorization");
		}
	});

	test("of gh are asked for only where a request without one fails", async () => {
		const hasFailed: boolean[] = [];
		const token = (failed: boolean): undefined => void hasFailed.push(failed);
		await readSite(issue?.url ?? "", playing(issue?.answers ?? {}, { token }));
		expect(hasFailed).toEqual([false, false]);
		await readSite("https://github.com/private/repo", playing({}, { token }));
		expect(hasFailed).toContain(true);
	});

	test.each([
		"https://github.com/a%2F..%2F..%2Fuser/b",
		"https://github.com/a/b/blob/main/..%2f..%2f..%2fuser",
		"https://github.com/a/b/blob/main/%2e%2e%5c%2e%2e%5cuser",
		"https://gitlab.com/a%2fb/c/-/blob/main/x",
	])("reach nothing but the repository: %s", async (url) => {
		const asked: Asked[] = [];
		expect(await readSite(url, playing({}, { token: () => "ghp_1", asked }))).toBeUndefined();
		expect(asked).toEqual([]);
	});

	test("of GitLab are sent to gitlab.com alone", async () => {
		const asked: Asked[] = [];
		const site = codeHosts.find(({ reader }) => reader === "GitLab");
		await readSite(site?.url ?? "", playing(site?.answers ?? {}, { asked }));
		for (const { address, ownHeaders } of asked) {
			expect(new URL(address).host).toBe("gitlab.com");
			expect(ownHeaders).toEqual({ "PRIVATE-TOKEN": "glpat-1" });
		}
	});
});

describe("a page is left to the plain reader", () => {
	test.each([
		["its site has no reader", "https://example.org/"],
		["the site has no page of that kind", "https://github.com/features"],
		["its path is unknown", "https://github.com/a/b/wiki"],
		["it does not exist", "https://github.com/a/b"],
		["it is not over TLS", "http://github.com/a/b"],
		["it is on another port", "https://github.com:8443/a/b"],
		["another host has the name in it", "https://github.com.evil.example/a/b"],
		["another host ends like it", "https://evilwikipedia.org/wiki/A"],
		["it is not an address", "github"],
	])("if %s", async (_, url) => {
		expect(await readSite(url, playing({}))).toBeUndefined();
	});

	test.each([
		["text that is no JSON", "<html>"],
		["another shape", 7],
		["null", null],
		["wrong types", { doc: { body: [1, null, { value: 7 }], title: 5 } }],
		["nothing in it", {}],
	])("if the answer is %s", async (_, answer) => {
		const failures = await Promise.all(
			recorded.map(async ({ url, answers }) => {
				const broken = Object.fromEntries(Object.keys(answers).map((address) => [address, answer]));
				const page = await readSite(url, playing(broken));
				// Where a page is a text, any text is one.
				const isText = Object.values(answers).some((each) => typeof each === "string");
				return page !== undefined && !isText ? [url, page.title] : [];
			}),
		);
		expect(failures.flat()).toEqual([]);
	});

	test("if a reader would make too many requests", async () => {
		let requests = 0;
		const means = playing({});
		const page = await readSite("https://www.nuget.org/packages/x", {
			...means,
			fetch: async (address) => {
				requests++;
				const bytes = new TextEncoder().encode(JSON.stringify({ items: [{ "@id": address }] }));
				return { ok: true, url: address, contentType: "", bytes, truncated: false };
			},
		});
		expect(requests).toBeLessThan(12);
		expect(page === undefined || typeof page.text === "string").toBe(true);
	});

	test("and an abort is an abort", async () => {
		const stop = new AbortController();
		const means = { ...playing({}), signal: stop.signal };
		const reading = readSite("https://github.com/a/b", {
			...means,
			fetch: async () => {
				stop.abort(new DOMException("enough", "AbortError"));
				throw stop.signal.reason;
			},
		});
		await expect(reading).rejects.toThrow("enough");
	});
});

test.each([
	["https://docs.rs/evil/latest/evil/", '<section id="main-content"'],
	["https://pkg.go.dev/evil.example/x", "<main"],
	["https://www.rfc-editor.org/rfc/rfc1", "\n"],
	["https://arxiv.org/abs/1706.03762", "<entry><title>"],
	["https://github.com/a/b/blob/main/x.ts", "```\n"],
	["https://github.com/a/b/blob/main/y.ts", "`"],
])("%s with a million times %s is read in bounded time", async (url, part) => {
	const text = part.repeat(1_000_000 / part.length);
	const means = playing({});
	const answer: SiteMeans["fetch"] = async (address) => {
		const bytes = new TextEncoder().encode(text);
		return { ok: true, url: address, contentType: "text/plain", bytes, truncated: false };
	};
	const page = await readSite(url, { ...means, fetch: answer });
	expect(page === undefined || page.text.length <= 4 * text.length).toBe(true);
});

test("the address of a transcript is YouTube's own, whatever the answer says", async () => {
	const asked: Asked[] = [];
	const answers = {
		"https://www.youtube.com/youtubei/v1/player?prettyPrint=false": {
			videoDetails: { title: "T" },
			captions: {
				playerCaptionsTracklistRenderer: {
					captionTracks: [{ baseUrl: "https://evil.example/youtube.com", languageCode: "en" }],
				},
			},
		},
	};
	const page = await readSite("https://www.youtube.com/watch?v=dQw4w9WgXcQ", playing(answers, { asked }));
	expect(page?.text).toContain("There is no transcript.");
	expect(asked).toHaveLength(1);
	expect(JSON.parse(asked[0]?.body ?? "")).toMatchObject({ videoId: "dQw4w9WgXcQ" });
});

test("the page about coming from omp says how many sites have a reader", async () => {
	const page = await Bun.file(new URL("../../../../../docs/from-omp.md", import.meta.url)).text();
	expect(page.includes(`| for ${siteReaders.length}; every other address`)).toBe(true);
});
