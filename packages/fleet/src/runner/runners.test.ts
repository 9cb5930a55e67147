/** Workers elsewhere: as many as there are tasks, and nothing of them left. Kubernetes is played by its documented API. */
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { SqliteStore } from "../store/sqlite-store.ts";
import type { TaskSpec } from "../task.ts";
import { dispatchTasks, type Runner } from "./dispatch.ts";
import { kubernetesRunner } from "./kubernetes-runner.ts";
import { dockerCommand, programRunner } from "./program-runner.ts";

const base = mkdtempSync(join(tmpdir(), "tau-fleet-runners-"));
afterAll(() => rmSync(base, { recursive: true, force: true }));

function spec(prompt: string, labels: string[] = []): TaskSpec {
	const common = { repo: "/r", ref: "HEAD", commit: "c", policy: "auto", tries: 3 } as const;
	return { prompt, ...common, labels, priority: 0, after: [] };
}

async function until(holds: () => boolean): Promise<void> {
	const deadline = Date.now() + 60_000;
	while (!holds()) {
		if (Date.now() > deadline) throw new Error("never");
		await Bun.sleep(10);
	}
}

test("each waiting task gets a worker, within the slots, and only where the labels fit", async () => {
	await using store = new SqliteStore({ path: join(base, "dispatch.db") });
	await store.add([spec("a"), spec("b"), spec("c"), spec("gpu", ["gpu"])]);
	let running = 0;
	let most = 0;
	let total = 0;
	const runner: Runner = {
		async run() {
			most = Math.max(most, ++running);
			total++;
			const lease = await store.claim({ id: "w", labels: [] });
			if (lease) await store.finish(lease, { kind: "done", result: { summary: "ok" } });
			running--;
		},
	};
	const stop = new AbortController();
	const over = dispatchTasks({ store, runner, slots: 2, labels: [], onLine: () => {} }, stop.signal);
	await until(() => total >= 3);
	stop.abort();
	await over;
	expect((await store.list(["done"])).map(({ spec: { prompt } }) => prompt)).toEqual(["a", "b", "c"]);
	expect(most).toBeLessThanOrEqual(2);
});

test("a Job is made from the template, waited for, and deleted with its pods", async () => {
	const seen: string[] = [];
	let looks = 0;
	await using server = Bun.serve({
		port: 0,
		async fetch(request) {
			const { pathname } = new URL(request.url);
			const body: unknown = request.method === "GET" ? undefined : await request.json();
			seen.push(
				`${request.method} ${pathname} ${request.headers.get("authorization")} ${JSON.stringify(body)}`,
			);
			if (request.method === "GET")
				return Response.json({ status: ++looks > 1 ? { succeeded: 1 } : { active: 1 } });
			return Response.json({ kind: "Status" }, { status: request.method === "POST" ? 201 : 200 });
		},
	});
	const template = await Bun.file(join(import.meta.dir, "../../../../deploy/k8s/job.yml")).text();
	const runner = kubernetesRunner({
		url: server.url.href,
		token: async () => "secret\n",
		namespace: "agents",
		template,
	});
	await runner.run("tau-1", new AbortController().signal);
	expect(seen.map((line) => line.split(" ").slice(0, 2).join(" "))).toEqual([
		"POST /apis/batch/v1/namespaces/agents/jobs",
		"GET /apis/batch/v1/namespaces/agents/jobs/tau-1",
		"GET /apis/batch/v1/namespaces/agents/jobs/tau-1",
		"DELETE /apis/batch/v1/namespaces/agents/jobs/tau-1",
	]);
	expect(seen[0]).toContain("Bearer secret");
	expect(seen[0]).toContain('"name":"tau-1","namespace":"agents"');
	expect(seen[0]).toContain('"restartPolicy":"Never"');
	expect(seen[3]).toContain('"propagationPolicy":"Background"');
	expect(() => kubernetesRunner({ url: "http://x", namespace: "a", template: "kind: Pod" })).toThrow(
		"kind: Job",
	);
});

test("where the cluster has agent-sandbox, a Sandbox or a claim of one runs the worker until its pod has ended", async () => {
	const seen: string[] = [];
	const phases = ["Pending", "Succeeded"];
	await using server = Bun.serve({
		port: 0,
		async fetch(request) {
			const { pathname } = new URL(request.url);
			seen.push(`${request.method} ${pathname}`);
			if (request.method !== "GET")
				return Response.json(await request.json(), { status: request.method === "POST" ? 201 : 200 });
			const name = pathname.split("/").at(-1);
			if (pathname.startsWith("/api/v1/")) return Response.json({ status: { phase: phases.shift() } });
			if (pathname.includes("/sandboxclaims/"))
				return Response.json({ metadata: { name }, status: { sandbox: { name: "warm-7" } } });
			const annotations = name === "warm-7" ? { "agents.x-k8s.io/pod-name": "pool-9" } : {};
			// Its controller needs a moment.
			if (seen.filter((line) => line === `GET ${pathname}`).length === 1 && name === "warm-7")
				return Response.json({ message: "not found" }, { status: 404 });
			return Response.json({ metadata: { name, annotations } });
		},
	});
	const api = "/apis/agents.x-k8s.io/v1beta1/namespaces/agents/sandboxes";
	const claims = "/apis/extensions.agents.x-k8s.io/v1beta1/namespaces/agents/sandboxclaims";
	const pods = "/api/v1/namespaces/agents/pods";
	const run = async (file: string): Promise<string[]> => {
		const template = await Bun.file(join(import.meta.dir, "../../../../deploy/k8s", file)).text();
		const runner = kubernetesRunner({ url: server.url.href, namespace: "agents", template });
		await runner.run("tau-1", new AbortController().signal);
		return seen.splice(0);
	};
	expect(await run("sandbox.yml")).toEqual([
		`POST ${api}`,
		`GET ${api}/tau-1`,
		`GET ${pods}/tau-1`,
		`GET ${api}/tau-1`,
		`GET ${pods}/tau-1`,
		`DELETE ${api}/tau-1`,
	]);
	phases.push("Failed");
	await expect(run("sandbox-claim.yml")).rejects.toThrow("The pod of the sandbox has failed");
	expect(seen).toEqual([
		`POST ${claims}`,
		`GET ${claims}/tau-1`,
		`GET ${api}/warm-7`,
		`GET ${claims}/tau-1`,
		`GET ${api}/warm-7`,
		`GET ${pods}/pool-9`,
		`DELETE ${claims}/tau-1`,
	]);
});

test("an API server that is away for a moment loses no worker, and an object that is gone is the end of it", async () => {
	const answers = [201, 503, 200, 404, 500, 404];
	const seen: string[] = [];
	await using server = Bun.serve({
		port: 0,
		fetch({ method }) {
			seen.push(method);
			return Response.json({ status: { active: 1 } }, { status: answers.shift() ?? 418 });
		},
	});
	const runner = kubernetesRunner({ url: server.url.href, namespace: "a", template: "kind: Job\nspec: {}" });
	await runner.run("tau-1", new AbortController().signal);
	expect(seen).toEqual(["POST", "GET", "GET", "GET", "DELETE", "DELETE"]);
});

test("workers of a cluster get the labels of their runner", async () => {
	const made: unknown[] = [];
	await using server = Bun.serve({
		port: 0,
		async fetch(request) {
			if (request.method === "POST") made.push(await request.json());
			return Response.json({ status: { succeeded: 1, phase: "Succeeded" } });
		},
	});
	const labelled = async (file: string): Promise<Runner> => {
		const template = await Bun.file(join(import.meta.dir, "../../../../deploy/k8s", file)).text();
		return kubernetesRunner({ url: server.url.href, namespace: "a", labels: ["gpu", "linux"], template });
	};
	for (const file of ["job.yml", "sandbox.yml"])
		await (await labelled(file)).run("tau-1", new AbortController().signal);
	const args = '"args":["worker","--once","--labels","gpu,linux"]';
	expect(made.map((each) => JSON.stringify(each).includes(args))).toEqual([true, true]);
	await expect(labelled("sandbox-claim.yml")).rejects.toThrow("start this without --labels");
});

test("a place that refuses workers is not asked without end, and a runner that ends waits for what it has started", async () => {
	await using store = new SqliteStore({ path: join(base, "refused.db") });
	await store.add([spec("a"), spec("b")]);
	const [first] = await store.list();
	let refusals = 0;
	let isLeft = false;
	const runner: Runner = {
		async run(name, signal) {
			if (name.includes(first?.id ?? "")) {
				refusals++;
				throw new Error("jobs.batch is forbidden");
			}
			const aborted = Promise.withResolvers<unknown>();
			signal.addEventListener("abort", aborted.resolve);
			await aborted.promise;
			await Bun.sleep(50);
			isLeft = true;
		},
	};
	const stop = new AbortController();
	const lines: string[] = [];
	const onLine = (line: string): void => void lines.push(line);
	const over = dispatchTasks({ store, runner, slots: 2, labels: [], onLine }, stop.signal);
	await until(() => lines.some((line) => line.includes("forbidden")));
	// Each change of the store is a reason to look.
	for (let at = 0; at < 20; at++) await store.add([spec("more", ["other"])]);
	stop.abort();
	await over;
	expect({ refusals, isLeft }).toEqual({ refusals: 1, isLeft: true });
});

test("a refusal of the API server names what it refused", async () => {
	await using server = Bun.serve({
		port: 0,
		fetch: () => Response.json({ message: "jobs.batch is forbidden" }, { status: 403 }),
	});
	const runner = kubernetesRunner({ url: server.url.href, namespace: "a", template: "kind: Job\nspec: {}" });
	await expect(runner.run("tau-1", new AbortController().signal)).rejects.toThrow("jobs.batch is forbidden");
});

test("a program runner reports the end of its worker, and containers are removed at their end", async () => {
	const env = { PATH: process.env.PATH ?? "" };
	const { signal } = new AbortController();
	await programRunner({ command: () => ["true"], env }).run("one", signal);
	await expect(programRunner({ command: () => ["false"], env }).run("two", signal)).rejects.toThrow("code 1");
	const command = dockerCommand("tau:latest", ["TAU_FLEET_URL"], ["worker", "--once"])("tau-1");
	expect(command.join(" ")).toBe(
		"docker run --rm --init --pull missing --name tau-1 --env TAU_FLEET_URL tau:latest worker --once",
	);
});
