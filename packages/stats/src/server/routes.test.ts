/** Pages and programs get statistics under the addresses of omp-stats, and nothing else. */
import { afterAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { Stats } from "../stats.ts";
import { writeCorpus } from "../testing/index.ts";
import { statsRoutes } from "./routes.ts";
import { serveStats } from "./serve.ts";

const home = mkdtempSync(join(tmpdir(), "tau-stats-routes-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));
const data = join(home, ".tau/agent");
writeCorpus({ home, sessions: 3, answers: 4, textBytes: 50 });
const open = (): Stats => new Stats({ home, data, env: {} });

const answer = statsRoutes({
	open,
	async sync() {
		using stats = open();
		return await stats.sync();
	},
	windows: async () => [{ provider: "anthropic", name: "5 hours", usedPercent: 40 }],
});

async function get<T>(path: string): Promise<{ status: number; headers: Headers; body: T }> {
	const response = await answer(new Request(`http://127.0.0.1${path}`));
	return { status: response.status, headers: response.headers, body: (await response.json()) as T };
}

test("every address answers from the index, and only a sync scans", async () => {
	expect((await get<{ overall: object }>("/api/stats")).body.overall).toMatchObject({ totalRequests: 0 });
	expect((await get("/api/sync")).body).toEqual({ processed: 12, files: 3 });
	const whole = await get<{ overall: object; byModel: object[] }>("/api/stats?range=all");
	expect(whole.body.overall).toMatchObject({ totalRequests: 12 });
	expect(whole.body.byModel).toHaveLength(3);
	expect(whole.headers.get("x-tau-stats-dashboard")).toBe("1");
	expect(whole.headers.get("access-control-allow-origin")).toBeNull();
	for (const view of [
		"overview",
		"models",
		"folders",
		"timeseries",
		"costs",
		"tools",
		"agents",
		"providers",
		"recent",
		"errors",
		"behavior",
		"gain",
	])
		expect({ view, status: (await get(`/api/stats/${view}`)).status }).toEqual({ view, status: 200 });
	const { body } = await get<{ windows: object[]; blocks: { requests: number }[] }>("/api/stats/providers");
	expect(body.windows).toMatchObject([{ usedPercent: 40 }]);
	expect(body.blocks.reduce((sum, { requests }) => sum + requests, 0)).toBe(12);
	const csv = await (await answer(new Request("http://127.0.0.1/api/stats/csv?by=model"))).text();
	expect(csv.split("\n")[0]).toStartWith("provider,model,requests,errors,");
});

test("a session has a timeline, and no other file is opened", async () => {
	await get("/api/stats/sync");
	const { body: sessions } = await get<{ file: string; title: string }[]>(
		"/api/stats/sessions?limit=10&q=Task%201",
	);
	expect(sessions).toHaveLength(1);
	const file = encodeURIComponent(sessions[0]?.file ?? "");
	const { body: trace } = await get<{ entries: { id: string; kind: string; name: string }[] }>(
		`/api/session/trace?file=${file}`,
	);
	expect(trace.entries.slice(0, 3)).toMatchObject([{ kind: "user" }, { kind: "answer" }, { kind: "tool" }]);
	const id = trace.entries[1]?.id ?? "";
	expect((await get<object>(`/api/session/entry?file=${file}&id=${id}`)).body).toMatchObject({
		type: "message",
	});
	const { body: recent } = await get<{ id: string }[]>("/api/stats/recent?limit=1");
	expect((await get(`/api/request/${recent[0]?.id}`)).status).toBe(200);
	writeFileSync(join(home, "secret.jsonl"), "{}\n");
	mkdirSync(join(data, "sessions/x"), { recursive: true });
	const refusals = {
		"/api/session/trace": [400, "file required"],
		[`/api/session/entry?file=${file}`]: [400, "file and id required"],
		[`/api/session/entry?file=${file}&id=nobody`]: [404, "entry not found"],
		[`/api/session/trace?file=${encodeURIComponent(join(data, "sessions/x/gone.jsonl"))}`]: [
			404,
			"session not found",
		],
		[`/api/session/trace?file=${encodeURIComponent(join(data, "sessions/../../../secret.jsonl"))}`]: [
			400,
			"The file is not in a directory of sessions.",
		],
		"/api/session/trace?file=/etc/passwd": [400, "The file is not in a directory of sessions."],
		"/api/request/1": [404, "request not found"],
		"/api/stats?range=soon": [400, "range soon: write 24h, 7d, 30d, today or all."],
		"/api/nothing": [404, "There is no such address."],
	};
	for (const [path, [status = 0, error = ""]] of Object.entries(refusals)) {
		const refused = await get<{ error: string }>(path);
		expect([path, refused.status, refused.body.error]).toEqual([path, status, error]);
	}
});

test("the server for programs answers this machine, its own pages and its token alone", async () => {
	const server = serveStats(answer, { port: 0, host: "127.0.0.1" });
	try {
		const status = async (headers: Record<string, string> = {}, url = server.url): Promise<number> =>
			(await fetch(url, { headers })).status;
		expect(await status()).toBe(200);
		expect(await status({}, `http://127.0.0.1:${server.port}/api/stats`)).toBe(401);
		expect(
			await status({ authorization: `Bearer ${server.token}` }, `http://127.0.0.1:${server.port}/api/stats`),
		).toBe(200);
		expect(await status({ host: "evil.example" })).toBe(421);
		expect(await status({ origin: "http://evil.example" })).toBe(403);
		expect(await status({ "sec-fetch-site": "cross-site" })).toBe(403);
		expect(() => serveStats(answer, { port: server.port, host: "127.0.0.1" })).toThrow("is in use");
	} finally {
		server.stop();
	}
	expect(() => serveStats(answer, { port: 0, host: "0.0.0.0" })).toThrow("on this machine only");
});
