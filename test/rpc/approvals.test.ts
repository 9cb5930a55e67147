/** Approvals over RPC: a client that has said that it answers them is asked; one written for pi or omp is not. */
import { expect, test } from "bun:test";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { launch } from "../support/launch.ts";
import { isEvent, model, startRpc, type Frame, type RpcProcess } from "./rpc-process.ts";

function call(command: string) {
	return { answer: { blocks: [{ toolCall: { name: "bash", arguments: { command } } }] } };
}

const env = { TAU_SANDBOX: "off", TAU_CONTAINER: "none" };
const asking = [...model, "--approval-mode", "ask"];

function isApproval(frame: Frame): boolean {
	const { request } = frame as { request?: { kind?: string } };
	return frame.type === "request_opened" && request?.kind === "approval";
}

async function data(rpc: RpcProcess, command: object): Promise<Record<string, unknown>> {
	const response = await rpc.ask(command);
	if (response.success !== true) throw new Error(JSON.stringify(response));
	return (response.data ?? {}) as Record<string, unknown>;
}

test("a client that knows nothing of approvals is never kept waiting", async () => {
	await using tau = await launch({ steps: [call("node -e 1 && touch made"), "Done."] });
	await using rpc = startRpc(tau, asking, env);
	await rpc.ask({ type: "prompt", message: "go" });
	await rpc.until(isEvent("agent_end"));
	expect(existsSync(join(tau.project, "made"))).toBe(false);
	const notice = rpc.frames.find((frame) => frame.type === "notice");
	expect(JSON.stringify(notice)).toContain("bash was denied");
	expect(rpc.frames.some(isApproval)).toBe(false);
});

test("that a container counts as the boundary is one line on standard error", async () => {
	await using tau = await launch({ steps: [call("touch made"), "Done."] });
	const job = { TAU_SANDBOX: "off", TAU_CONTAINER: "", KUBERNETES_SERVICE_HOST: "10.0.0.1" };
	await using rpc = startRpc(tau, model, job);
	await rpc.ask({ type: "prompt", message: "go" });
	await rpc.until(isEvent("agent_end"));
	expect(existsSync(join(tau.project, "made"))).toBe(true);
	expect(rpc.running.output().err).toMatch(/^tau: Tau runs in [^\n]+ are not asked about\.[^\n]+\n$/);
	expect(JSON.stringify(rpc.frames)).not.toContain("counts as the boundary");
});

test("a client that has said so answers; it lists and revokes what it allowed, and sets the mode", async () => {
	await using tau = await launch({ steps: [call("node -e 1"), call("node -e 1"), "Done."] });
	await using rpc = startRpc(tau, asking, env);
	await rpc.ask({ type: "set_request_kinds", kinds: ["approval"] });
	await rpc.ask({ type: "prompt", message: "go" });
	const opened = (await rpc.until(isApproval)) as Frame & { request: Record<string, unknown> };
	expect(opened.request).toMatchObject({
		kind: "approval",
		call: { toolName: "bash", args: { command: "node -e 1" } },
		tier: "exec",
		reason: "node runs code",
	});
	const { choices } = opened.request as { choices: { id: string; covers?: string[] }[] };
	expect(choices.map(({ id }) => id)).toEqual(["once", "session", "project", "amend", "no", "explain"]);
	await rpc.ask({ type: "answer_request", requestId: opened.request.id, answer: { choice: "session" } });
	await rpc.until(isEvent("agent_end"));
	expect(rpc.frames.filter(isApproval)).toHaveLength(1);
	expect(rpc.frames).toContainEqual(
		expect.objectContaining({ type: "tool_approval_resolved", toolName: "bash", approved: true }),
	);
	const { grants } = (await data(rpc, { type: "list_grants" })) as { grants: { id: string; uses: number }[] };
	expect(grants).toMatchObject([{ agent: "main", scope: "session", rule: choices[1]?.covers?.[0], uses: 1 }]);
	await data(rpc, { type: "revoke_grant", grantId: grants[0]?.id });
	expect(await data(rpc, { type: "list_grants" })).toEqual({ grants: [] });
	expect(await rpc.ask({ type: "revoke_grant", grantId: "x" })).toMatchObject({ success: false });
	await data(rpc, { type: "set_approval_mode", mode: "plan" });
	expect(await data(rpc, { type: "get_state" })).toMatchObject({ approvalMode: "plan", boundary: "none" });
	expect(rpc.frames).toContainEqual(
		expect.objectContaining({ type: "approval_mode_changed", mode: "plan", previous: "ask" }),
	);
});

test("it can answer with pi's dialogs, too: the frame shows the whole command", async () => {
	await using tau = await launch({ steps: [call("node -e 1 && touch made"), "Done."] });
	await using rpc = startRpc(tau, asking, env);
	await rpc.ask({ type: "set_request_kinds", kinds: ["approval", "dialog"] });
	await rpc.ask({ type: "prompt", message: "go" });
	const dialog = await rpc.until((frame) => frame.type === "extension_ui_request");
	expect(dialog).toMatchObject({ method: "select" });
	expect((dialog as { title?: string }).title).toContain("run node -e 1 && touch made");
	rpc.write({ type: "extension_ui_response", id: dialog.id, value: "Yes, once" });
	await rpc.until(isEvent("agent_end"));
	expect(existsSync(join(tau.project, "made"))).toBe(true);
});

test("a client written for pi is still asked what a hook wants to know", async () => {
	await using tau = await launch({ steps: [call("touch made"), "Done."] });
	const decision = { hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "ask" } };
	const hooks = {
		PreToolUse: [{ hooks: [{ type: "command", command: `echo '${JSON.stringify(decision)}'` }] }],
	};
	writeFileSync(join(tau.agentDir, "hooks.json"), JSON.stringify({ hooks }));
	await using rpc = startRpc(tau, [...model, "--approval-mode", "auto"], env);
	await rpc.ask({ type: "prompt", message: "go" });
	const dialog = await rpc.until((frame) => frame.type === "extension_ui_request");
	expect(dialog).toMatchObject({ method: "select", title: "a hook asks about bash. Run it?" });
	rpc.write({ type: "extension_ui_response", id: dialog.id, value: "Run it" });
	await rpc.until(isEvent("agent_end"));
	expect(existsSync(join(tau.project, "made"))).toBe(true);
});
