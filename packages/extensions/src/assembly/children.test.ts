/** Child sessions: each has its own context, and none has more rights than its parent. */
import { describe, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { playModel } from "@tau/ai/testing";
import { SessionManager } from "@tau/log";
import type { SessionEvent } from "@tau/session";
import type { SessionHost } from "@tau/session/host";
import { agentTree } from "@tau/session/trees";

import {
	callOf,
	extensionFixtureWith,
	type ExtensionFixture,
	type ExtensionFixtureOptions,
} from "../../../../test/support/extensions.ts";

import { needs } from "../../../../test/support/needs.ts";

const openFixture = extensionFixtureWith(playModel);
const never = new AbortController().signal;

function hostOf(fixture: ExtensionFixture): SessionHost {
	return fixture.extensions.runner.bound.host;
}

function textsOf(host: SessionHost): string[] {
	return host.session.state.messages.map(({ role }) => role);
}

async function withFixture(
	steps: Parameters<typeof openFixture>[0]["steps"],
	work: (fixture: ExtensionFixture) => Promise<void>,
	options: ExtensionFixtureOptions = {},
): Promise<void> {
	const directory = mkdtempSync(join(tmpdir(), "tau-children-"));
	try {
		using log = SessionManager.create(directory, join(directory, "sessions"));
		await using fixture = await openFixture({ steps }, { log, ...options });
		await work(fixture);
	} finally {
		rmSync(directory, { recursive: true, force: true });
	}
}

test("a child has its own context and its own log beside the parent's, and its events arrive wrapped", async () => {
	await withFixture(["Parent.", "Child."], async (fixture) => {
		const host = hostOf(fixture);
		const events: SessionEvent[] = [];
		host.attach({ onEvent: (event) => void events.push(event) });
		await fixture.prompt("a word for the parent");
		await using child = await host.children.spawn({ name: "scout" }, never);
		const admission = await child.host.submit({ text: "look around" });
		if (admission.kind === "begun") await admission.done;
		expect(textsOf(child.host)).toEqual(["user", "assistant"]);
		expect(textsOf(host)).toEqual(["user", "assistant"]);
		expect(fixture.request(1)).not.toContain("a word for the parent");
		const [parentFile, childFile] = [host.log.getSessionFile() ?? "", child.host.log.getSessionFile() ?? ""];
		expect(dirname(childFile)).toBe(parentFile.replace(/\.jsonl$/, ""));
		expect(readdirSync(dirname(childFile)).filter((name) => name.endsWith(".jsonl"))).toHaveLength(1);
		const wrapped = events.flatMap((event) => (event.type === "child_event" ? [event.event.type] : []));
		expect(wrapped).toContain("agent_end");
		expect(events.find(({ type }) => type === "child_started")).toMatchObject({
			name: "scout",
			id: child.id,
		});
	});
});

test("the usage of a child is added to its parent's when it ends", async () => {
	await withFixture(["Child."], async (fixture) => {
		const host = hostOf(fixture);
		const child = await host.children.spawn({ name: "scout" }, never);
		const admission = await child.host.submit({ text: "look" });
		if (admission.kind === "begun") await admission.done;
		expect(host.session.usage.totals.totalTokens).toBe(0);
		await child[Symbol.asyncDispose]();
		expect(host.session.usage.totals.totalTokens).toBeGreaterThan(0);
		expect(host.children.all).toEqual([]);
	});
});

describe("rights", () => {
	test("a child gets no tool that its parent does not have", async () => {
		await withFixture([], async (fixture) => {
			const host = hostOf(fixture);
			await host.apply({ type: "tools", layer: "user", hidden: ["bash"] });
			await using child = await host.children.spawn(
				{ name: "scout", tools: ["read", "bash", "edit"] },
				never,
			);
			expect(child.host.session.state.tools.map(({ name }) => name)).toEqual(["read"]);
		});
	});

	test("an extension that blocks calls of the parent blocks those of the child", async () => {
		const gate = `export default (pi) => pi.on("tool_call", ({ input }) =>
			String(input.command).includes("rm") ? { block: true, reason: "Not here." } : undefined);`;
		const steps = [callOf("bash", { command: "rm x" }), "Done."];
		await withFixture(
			steps,
			async (fixture) => {
				await using child = await hostOf(fixture).children.spawn({ name: "scout" }, never);
				const admission = await child.host.submit({ text: "clean up" });
				if (admission.kind === "begun") await admission.done;
				expect(fixture.request(1)).toContain("Not here.");
			},
			{ files: { "gate.ts": gate } },
		);
	});

	const stamp = `export default (pi) => {
		pi.registerTool({ name: "stamp", label: "Stamp", description: "stamps", parameters: { type: "object", properties: {} },
			execute: async () => ({ content: [{ type: "text", text: "stamped" }] }) });
		pi.registerTool({ name: "seal", label: "Seal", description: "seals", parameters: { type: "object", properties: {} },
			execute: async () => ({ content: [{ type: "text", text: "sealed" }] }) });
	};`;

	test("a child uses tools of its parent's extensions, as far as its list and its parent allow", async () => {
		await withFixture(
			[callOf("stamp", {}), "Done."],
			async (fixture) => {
				const host = hostOf(fixture);
				const namesOf = async (spec: object): Promise<string[]> => {
					await using child = await host.children.spawn({ name: "scout", ...spec }, never);
					const admission = await child.host.submit({ text: "go" });
					if (admission.kind === "begun") await admission.done;
					return child.host.session.state.tools.map(({ name }) => name);
				};
				expect(await namesOf({})).toContain("stamp");
				expect(fixture.request(1)).toContain("stamped");
				expect(await namesOf({ tools: ["read", "seal"] })).toEqual(["read", "seal"]);
				expect(await namesOf({ withoutTools: ["seal"] })).not.toContain("seal");
				await host.apply({ type: "tools", layer: "user", hidden: ["stamp"] });
				expect(await namesOf({})).not.toContain("stamp");
			},
			{ files: { "stamp.ts": stamp } },
		);
	});

	test("a child's budget is at most what its parent has left", async () => {
		const call = callOf("bash", { command: "true" });
		await withFixture([call, call, call, "Done."], async (fixture) => {
			const host = hostOf(fixture);
			await host.apply({ type: "setting", path: "budget.maxTurns", value: 2 });
			await using child = await host.children.spawn({ name: "scout", budget: { maxTurns: 50 } }, never);
			const events: string[] = [];
			child.host.attach({ onEvent: ({ type }) => void events.push(type) });
			const admission = await child.host.submit({ text: "go on" });
			if (admission.kind === "begun") await admission.done;
			expect(events).toContain("budget_exhausted");
			expect(fixture.played.requests).toHaveLength(2);
		});
	});

	test("time in which children work is the parent's, and one that is opened later has the rest", async () => {
		const sleeps = callOf("bash", { command: "sleep 1000" });
		await withFixture(["Quick.", sleeps], async (fixture) => {
			const host = hostOf(fixture);
			{
				await using first = await host.children.spawn({ name: "first", isBackground: true }, never);
				const admission = await first.host.submit({ text: "go" });
				if (admission.kind === "begun") await admission.done;
			}
			const { time } = host.spending;
			expect(time.workedMs).toBeGreaterThan(0);
			await host.apply({ type: "setting", path: "budget.maxSeconds", value: 3600 });
			time.workedMs = 3600 * 1000;
			await using late = await host.children.spawn({ name: "late", budget: { maxSeconds: 60 } }, never);
			const limits: unknown[] = [];
			late.host.attach({
				onEvent: (event) => {
					if (event.type === "budget_exhausted") limits.push(event.limit);
				},
			});
			const admission = await late.host.submit({ text: "go" });
			if (admission.kind === "begun") await admission.done;
			expect(limits).toEqual(["time"]);
		});
	});
});

describe("ending", () => {
	test("the signal ends the child and its processes", async () => {
		await withFixture([callOf("bash", { command: "sleep 100" })], async (fixture) => {
			const abort = new AbortController();
			const child = await hostOf(fixture).children.spawn({ name: "scout" }, abort.signal);
			const started = Promise.withResolvers<void>();
			child.host.attach({
				onEvent: ({ type }) => {
					if (type === "tool_execution_start") started.resolve();
				},
			});
			const admission = await child.host.submit({ text: "wait" });
			await started.promise;
			abort.abort();
			if (admission.kind === "begun") await admission.done;
			await child[Symbol.asyncDispose]();
			expect(child.host.phase).toBe("closed");
		});
	});

	test("the end of the parent ends the whole tree", async () => {
		await withFixture([], async (fixture) => {
			const host = hostOf(fixture);
			const child = await host.children.spawn({ name: "scout" }, never);
			const grandchild = await child.host.children.spawn({ name: "helper" }, never);
			await host[Symbol.asyncDispose]();
			expect([child.host.phase, grandchild.host.phase]).toEqual(["closed", "closed"]);
		});
	});

	test("nesting has a limit", async () => {
		await withFixture([], async (fixture) => {
			let host = hostOf(fixture);
			const open = async (): Promise<never> => {
				for (;;) host = (await host.children.spawn({ name: "deeper" }, never)).host;
			};
			await expect(open()).rejects.toThrow("Sessions are nested");
		});
	});
});

test("what a child does to files is restored with the parent's message", async () => {
	const steps = ["Ready.", callOf("bash", { command: "rm a.txt && echo x > b.txt" }), "Child."];
	await withFixture(steps, async (fixture) => {
		const host = hostOf(fixture);
		const { cwd } = fixture.extensions.runner.bound.env;
		writeFileSync(join(cwd, "a.txt"), "precious\n");
		await fixture.prompt("go");
		await using child = await host.children.spawn({ name: "worker" }, never);
		const admission = await child.host.submit({ text: "clean up" });
		if (admission.kind === "begun") await admission.done;
		expect(existsSync(join(cwd, "a.txt"))).toBe(false);
		const [point] = await host.rewind.points();
		expect(point).toMatchObject({ text: "go", files: 2 });
		await host.rewind.rewind({ entryId: point?.entryId ?? "", restore: "files" });
		expect([readFileSync(join(cwd, "a.txt"), "utf8"), existsSync(join(cwd, "b.txt"))]).toEqual([
			"precious\n",
			false,
		]);
	});
});

needs("overlay")(
	"a child in a tree of its own changes no file of its parent until it is merged, which can be rewound",
	async () => {
		const steps = [
			"Ready.",
			callOf("bash", { command: "echo by-shell >> a.txt; cat a.txt" }),
			callOf("write", { path: "b.txt", content: "by-tool\n" }),
			"Child.",
		];
		await withFixture(steps, async (fixture) => {
			const host = hostOf(fixture);
			const { env } = fixture.extensions.runner.bound;
			const { cwd } = env;
			writeFileSync(join(cwd, "a.txt"), "first\n");
			await fixture.prompt("go");
			const home = mkdtempSync(join(tmpdir(), "tau-trees-"));
			try {
				await using tree = await agentTree({
					...env,
					env: { HOME: home },
					isTrusted: false,
					label: "worker",
					mode: "overlay",
					signal: never,
				});
				if (!tree) throw new Error("no tree");
				await using child = await host.children.spawn({ name: "worker", tree }, never);
				const admission = await child.host.submit({ text: "work" });
				if (admission.kind === "begun") await admission.done;
				expect(fixture.request(2)).toContain("first\\nby-shell");
				expect(readdirSync(cwd).filter((name) => name.endsWith(".txt"))).toEqual(["a.txt"]);
				expect(readFileSync(join(cwd, "a.txt"), "utf8")).toBe("first\n");
				const { merged } = await tree.merge({ signal: never });
				expect(merged.map(({ path }) => path)).toEqual(["a.txt", "b.txt"]);
				expect(readFileSync(join(cwd, "a.txt"), "utf8")).toBe("first\nby-shell\n");
				const [point] = await host.rewind.points();
				await host.rewind.rewind({ entryId: point?.entryId ?? "", restore: "files" });
				expect([readFileSync(join(cwd, "a.txt"), "utf8"), existsSync(join(cwd, "b.txt"))]).toEqual([
					"first\n",
					false,
				]);
			} finally {
				Bun.spawnSync(["chmod", "-R", "u+rwX", home]);
				rmSync(home, { recursive: true, force: true });
			}
		});
	},
);
