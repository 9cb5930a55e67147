/** The model searches the web: the tool is searched for, asks for permission, and takes its key from the store. */
import { afterAll, beforeAll, expect, test } from "bun:test";

import { launch, type Launched } from "../support/launch.ts";

let server: Bun.Server<undefined>;
const queries: { query: string; authorization: string | null }[] = [];
beforeAll(() => {
	server = Bun.serve({
		port: 0,
		hostname: "127.0.0.1",
		async fetch(request) {
			const authorization = request.headers.get("authorization");
			if (request.method === "GET") {
				queries.push({ query: new URL(request.url).searchParams.get("q") ?? "", authorization });
				return Response.json({
					results: [{ title: "Workers", url: "https://bun.sh/docs", content: "How they end" }],
				});
			}
			const { text_query } = (await request.json()) as { text_query: string };
			queries.push({ query: text_query, authorization });
			return Response.json({ search_results: [] });
		},
	});
});
afterAll(() => server.stop(true));

function search(query: string) {
	return { answer: { blocks: [{ toolCall: { name: "web_search", arguments: { query } } }] } };
}

const go = ["-p", "go", "--model", "played/played-1"];
const bodyAt = (tau: Launched, at: number): string => tau.played.requests[at]?.rawBody ?? "";

test("a search is made by name, asked about where nothing contains it, and paid with a stored key", async () => {
	await using tau = await launch({
		steps: [
			search("one"),
			"Done.",
			search("two"),
			"Done.",
			search("three"),
			"Done.",
			search("four"),
			"Done.",
		],
	});
	const base = `http://127.0.0.1:${server.port}`;
	const endpoint = { SEARXNG_ENDPOINT: base };
	await tau.run(go, { env: endpoint });
	expect(JSON.parse(bodyAt(tau, 0)).tools.map(({ name }: { name: string }) => name)).not.toContain(
		"web_search",
	);
	expect(bodyAt(tau, 0)).toContain(" web_search,");
	expect(bodyAt(tau, 1)).toContain("[1] Workers\\n    https://bun.sh/docs\\n    How they end");

	const open = { ...endpoint, TAU_SANDBOX: "off", TAU_CONTAINER: "none" };
	const { err } = await tau.run(go, { env: open });
	expect(err).toContain("which no rule allows");
	expect(queries.map(({ query }) => query)).toEqual(["one"]);
	const rule = { TAU_SANDBOX: "off", TAU_CONTAINER: "none" };
	await Bun.write(
		`${tau.agentDir}/config.yml`,
		`searxng:\n  endpoint: ${base}\npermissions:\n  allow: [WebSearch]\n`,
	);
	await tau.run(go, { env: rule });
	expect(queries.map(({ query }) => query)).toEqual(["one", "three"]);

	await Bun.write(`${tau.agentDir}/config.yml`, "providers:\n  webSearch: kimi\n");
	expect(await tau.run(["login", "kimi-code", "--api-key"], { stdin: "kc-stored-key-1\n" })).toMatchObject({
		code: 0,
	});
	await tau.run(go, { env: { KIMI_SEARCH_BASE_URL: base } });
	expect(queries.at(-1)).toEqual({ query: "four", authorization: "Bearer kc-stored-key-1" });
	expect(bodyAt(tau, 7)).toContain("No results.");
	expect(await tau.run(["login", "tavily"], { stdin: "tvly-1\n" })).toMatchObject({
		code: 0,
		out: expect.stringContaining("Saved the Tavily API key"),
	});
	const status = await tau.run(["auth", "status"], { env: { BRAVE_API_KEY: "b" } });
	expect(status.out).toMatch(/brave +key +– +– +ready +BRAVE_API_KEY/);
	expect(status.out).toMatch(/tavily +key +– +– +ready +stored/);
});
