/** Version 2 of the protocol, a draft: the official client of it, and every frame checked against its schema. */
import { expect, test } from "bun:test";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import * as v2 from "@agentclientprotocol/sdk/experimental/v2";

import { launch, type Launched } from "../support/launch.ts";
import { asking, call, inputOf, model, openEditor, outputOf } from "./editor.ts";
import { FrameCheck } from "./frame-check.ts";

async function openDraft(
	tau: Launched,
	args: readonly string[],
	env: Record<string, string> = {},
	flags: readonly string[] = ["--draft"],
) {
	const running = tau.start(["acp", ...flags, ...args], { stdin: "pipe", env });
	const check = new FrameCheck("v2");
	const updates: v2.SessionUpdate[] = [];
	const permissions: v2.RequestPermissionRequest[] = [];
	const forms: unknown[] = [];
	let changed = Promise.withResolvers<void>();
	const { agent } = v2
		.client({ name: "test editor" })
		.onNotification(v2.methods.client.session.update, ({ params }) => {
			updates.push(params.update);
			changed.resolve();
			changed = Promise.withResolvers();
		})
		.onRequest(v2.methods.client.session.requestPermission, ({ params }) => {
			permissions.push(params);
			return { outcome: { outcome: "selected", optionId: "once" } };
		})
		.onRequest(v2.methods.client.elicitation.create, ({ params }) => {
			forms.push(params);
			return { action: "accept", content: { answer0: "Postgres" } };
		})
		.connect(check.watch(v2.ndJsonStream(inputOf(running), outputOf(running)) as never) as never);
	const initialized = await agent.request(v2.methods.agent.initialize, {
		protocolVersion: 2,
		info: { name: "test-editor", version: "1" },
		capabilities: { elicitation: { form: {} } },
	});
	const states = (): string[] =>
		updates.flatMap((update) =>
			update.sessionUpdate === "state_update"
				? [
						`${String(update.state)}${"stopReason" in update && update.stopReason ? ` ${String(update.stopReason)}` : ""}`,
					]
				: [],
		);
	return {
		agent,
		initialized,
		updates,
		permissions,
		forms,
		states,
		async until(holds: () => boolean) {
			while (!holds()) {
				const over = await Promise.race([
					changed.promise.then(() => false),
					running.finished.then(() => true),
				]);
				if (over) throw new Error(running.output().err);
			}
		},
		async [Symbol.asyncDispose]() {
			const { stdin } = running.process;
			if (stdin && typeof stdin !== "number") await stdin.end();
			expect((await running.finished).code).toBe(0);
			check.assertValid();
		},
	};
}

const { session } = v2.methods.agent;

test("a prompt is answered when it is accepted; updates say what becomes of it", async () => {
	await using tau = await launch({
		steps: [
			call("bash", { command: "node -e 1 && touch made" }),
			call("write", { path: "a.txt", content: "a\n" }),
			"Done.",
		],
	});
	let id = "";
	{
		await using editor = await openDraft(tau, asking.args, asking.env);
		expect(editor.initialized).toMatchObject({ protocolVersion: 2, info: { name: "tau" } });
		const created = await editor.agent.request(session.new, { cwd: tau.project });
		id = created.sessionId;
		expect(created.configOptions?.map(({ configId }) => configId)).toEqual(["mode", "model", "thinking"]);
		const { messageId } = await editor.agent.request(session.prompt, {
			sessionId: id,
			prompt: [{ type: "text", text: "go" }],
		});
		await editor.until(() => editor.states().at(-1)?.startsWith("idle") ?? false);
		expect(existsSync(join(tau.project, "made"))).toBe(true);
		expect(editor.permissions[0]).toMatchObject({
			subject: { type: "tool_call", toolCall: { kind: "execute" } },
		});
		expect(editor.states()[0]).toBe("running");
		expect(editor.states()).toContain("requires_action");
		expect(editor.states().at(-1)).toBe("idle end_turn");
		expect(editor.updates).toContainEqual(
			expect.objectContaining({ sessionUpdate: "user_message", messageId }),
		);
		expect(JSON.stringify(editor.updates)).toContain('"operation":"add"');
	}
	await using editor = await openDraft(tau, model);
	await editor.agent.request(session.resume, {
		sessionId: id,
		cwd: tau.project,
		replayFrom: { type: "start" },
	});
	// The history, and then the state, are there before the response.
	expect(editor.updates.map(({ sessionUpdate }) => sessionUpdate)).toContain("agent_message_chunk");
	expect(editor.states()).toEqual(["idle"]);
});

test("a second prompt during a run is accepted and steers it; a question of the model is a form", async () => {
	const question = { question: "Which database?", options: [{ label: "SQLite" }, { label: "Postgres" }] };
	await using tau = await launch({
		steps: [
			call("bash", { command: "while [ ! -e go ]; do sleep 0.05; done" }),
			call("ask", { questions: [question] }),
		],
		fallback: "Both heard.",
	});
	await using editor = await openDraft(tau, model);
	const { sessionId } = await editor.agent.request(session.new, { cwd: tau.project });
	const send = (text: string) =>
		editor.agent.request(session.prompt, { sessionId, prompt: [{ type: "text", text }] });
	const first = await send("first");
	await editor.until(() => JSON.stringify(editor.updates).includes('"in_progress"'));
	const second = await send("second thought");
	expect(second.messageId).not.toBe(first.messageId);
	writeFileSync(join(tau.project, "go"), "");
	await editor.until(() => editor.states().filter((state) => state === "idle end_turn").length === 2);
	expect(editor.forms).toMatchObject([{ mode: "form", sessionId, message: "Which database?" }]);
	const body = JSON.stringify(tau.played.requests.at(-1)?.body);
	expect(body).toContain("second thought");
	expect(body).toContain("Postgres");
});

test("a turn is cancelled and fails in the words of version 2", async () => {
	await using tau = await launch({ steps: [{ fault: { silent: true } }, { fault: { http: 401 } }] });
	await using editor = await openDraft(tau, model);
	const { sessionId } = await editor.agent.request(session.new, { cwd: tau.project });
	const prompt = [{ type: "text" as const, text: "go" }];
	await editor.agent.request(session.prompt, { sessionId, prompt });
	await tau.played.waitForRequest(1);
	await editor.agent.notify(session.cancel, { sessionId });
	await editor.until(() => editor.states().includes("idle cancelled"));
	await editor.agent.request(session.prompt, { sessionId, prompt });
	await editor.until(() => editor.states().includes("idle error"));
});

test("a client of version 1 is served in version 1, with and without the draft", async () => {
	await using tau = await launch({ steps: ["Hello."] });
	await using editor = await openEditor(tau, { args: ["--draft", ...model] });
	expect(editor.initialized.protocolVersion).toBe(1);
	expect(await editor.prompt(await editor.newSession(), "hi")).toMatchObject({ stopReason: "end_turn" });
});

test("the draft is spoken where the user has set it, and with nobody otherwise", async () => {
	await using tau = await launch({ steps: [] });
	{
		await using refused = await openEditor(tau, { protocolVersion: 2 });
		expect(refused.initialized.protocolVersion).toBe(1);
	}
	writeFileSync(join(tau.agentDir, "config.yml"), "acp:\n  draft: true\n");
	await using editor = await openDraft(tau, model, {}, []);
	expect(editor.initialized.protocolVersion).toBe(2);
});
