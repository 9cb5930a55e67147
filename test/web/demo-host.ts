/** A played host with everything that has a screen: sessions, statistics, the gateway, an exported session. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { Stats, statsRoutes } from "@tau/stats";
import { filledViewer, pageAssets } from "@tau/web/assets";
import { demoSessions, startMockHost, type MockHost } from "@tau/web/testing";

import { writeUsageLines } from "./usage-lines.ts";

const day = 86_400_000;
const amounts = (requests: number, cost: number): object => ({
	requests,
	input: requests * 9000,
	output: requests * 700,
	cacheRead: requests * 31_000,
	cacheWrite: 0,
	cost,
});

const gateway = {
	url: "http://127.0.0.1:4000",
	isRunning: true,
	owner: { today: amounts(12, 0.8), thisMonth: amounts(410, 31.2) },
	keys: [
		{
			id: "k1",
			name: "continuous integration",
			models: ["claude-*", "gpt-*"],
			budgetPerDay: 5,
			requestsPerMinute: 60,
			today: amounts(48, 1.25),
			thisMonth: amounts(1200, 38.4),
		},
		{
			id: "k2",
			name: "laptop",
			models: [],
			expiresAt: Date.now() + 30 * day,
			today: amounts(0, 0),
			thisMonth: amounts(31, 2.6),
		},
		{ id: "k3", name: "old", models: [], revokedAt: 1, today: amounts(0, 0), thisMonth: amounts(0, 0) },
	],
};

export async function startDemoHost(): Promise<MockHost> {
	const home = mkdtempSync(join(tmpdir(), "tau-demo-host-"));
	const data = join(home, ".tau/agent");
	writeUsageLines(data, 60);
	const open = (): Stats => new Stats({ home, data, env: {} });
	const stats = statsRoutes({
		open,
		async sync() {
			using opened = open();
			return await opened.sync();
		},
		windows: async () => [
			{
				provider: "anthropic",
				plan: "max",
				name: "5 hours",
				usedPercent: 62.4,
				resetsAt: Date.now() + 3_600_000,
			},
		],
	});
	const host = await startMockHost(demoSessions());
	for (const view of ["", "/tools", "/providers", "/errors", "/behavior", "/sync", "/sessions"])
		host.routes[`GET /api/stats${view}`] = stats;
	host.routes["GET /api/gateway"] = () => gateway;
	host.routes["GET /export"] = () => exported(host);
	const stop = host[Symbol.asyncDispose].bind(host);
	return Object.assign(host, {
		async [Symbol.asyncDispose]() {
			await stop();
			rmSync(home, { recursive: true, force: true });
		},
	});
}

/** As `/export` writes it. */
async function exported(host: MockHost): Promise<Response> {
	const { id, facts, entries } = host.sessions.get("parser") ?? {};
	const document = {
		format: "tau-share",
		version: 1,
		createdAt: "2026-11-16T09:30:00.000Z",
		program: "tau",
		session: {
			id,
			cwd: facts?.session.cwd,
			name: facts?.session.name,
			timestamp: "2026-11-16T09:00:00.000Z",
		},
		leafId: entries?.at(-1)?.id ?? null,
		entries,
		agents: [],
		masked: 1,
	};
	const viewer = (await pageAssets()).get("/viewer");
	const page = new TextDecoder().decode(await viewer?.body());
	return new Response(filledViewer(page, JSON.stringify(document)), {
		headers: { "content-type": "text/html" },
	});
}
