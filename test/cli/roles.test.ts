/** The roles of models in their features: vision, plan, smol and tiny, and settings of compaction for some models. */
import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import type { Scenario, Step } from "@tau/ai/testing";

import { isEvent, startRpc, type Frame } from "../rpc/rpc-process.ts";
import { launch, type Launched } from "../support/launch.ts";

const model = ["--model", "played/played-1"];
const dot = Buffer.from("R0lGODlhAQABAIAAAAUEBAAAACwAAAAAAQABAAACAkQBADs=", "base64");

/** Models beside `played-1`: one that sees images, and small ones. */
async function launchWith(config: string, steps: Scenario["steps"]): Promise<Launched> {
	const tau = await launch({ steps });
	writeFileSync(join(tau.agentDir, "config.yml"), config);
	const file = join(tau.agentDir, "models.yml");
	const [head = "", own = ""] = readFileSync(file, "utf8").split("      - id: ");
	const named = (id: string) => own.replace("played-1", id);
	const eye = named("played-eye").replace("input: [text]", "input: [text, image]");
	const models = [own, eye, named("played-small"), named("played-tiny"), named("played-plan")];
	writeFileSync(file, `${head}${models.map((each) => `      - id: ${each}`).join("")}`);
	return tau;
}

function modelsOf({ played }: Launched): string[] {
	return played.requests.map(({ body }) => (body as { model: string }).model);
}

test("a model that cannot see gets a description of each image, once", async () => {
	const read: Step = { answer: { blocks: [{ toolCall: { name: "read", arguments: { path: "dot.gif" } } }] } };
	const steps = [read, "A black dot.", "It is black.", "Still black."];
	await using tau = await launchWith("modelRoles:\n  vision: played/played-eye\n", steps);
	writeFileSync(join(tau.project, "dot.gif"), dot);
	const first = await tau.run(["-p", "Which color has dot.gif?", ...model]);
	expect([first.code, first.out.trim()]).toEqual([0, "It is black."]);
	expect(modelsOf(tau)).toEqual(["played-1", "played-eye", "played-1"]);
	const [, request, described] = tau.played.requests.map(({ rawBody }) => rawBody);
	expect(request).toContain('"type":"image"');
	expect(described).toContain("A black dot.");
	expect(described).not.toContain('"type":"image"');
	// The description is stored with the session.
	await tau.run(["-p", "-c", "Still?", ...model]);
	expect(modelsOf(tau).at(-1)).toBe("played-1");
	expect(tau.played.requests).toHaveLength(4);
	expect(tau.played.requests.at(-1)?.rawBody).toContain("A black dot.");
});

test("an image that cannot be described is left out, and the answer is given", async () => {
	const refused: Step = {
		when: { bodyContains: "played-eye" },
		fault: { http: 400, body: { error: "no" } },
		times: "always",
	};
	await using tau = await launchWith("modelRoles:\n  vision: played/played-eye\n", [refused, "Hm.", "Hm."]);
	writeFileSync(join(tau.project, "dot.gif"), dot);
	const { code, out, err } = await tau.run(["-p", "@dot.gif", "Which color?", ...model]);
	expect([code, out.trim()]).toEqual([0, "Hm."]);
	expect(err).toContain("played/played-eye has not described an image");
});

test("the mode plan uses the model of its role, and the session has its own again afterwards", async () => {
	await using tau = await launchWith("modelRoles:\n  plan: played/played-plan\n", ["Plan.", "Done.", "Yes."]);
	await using rpc = startRpc(tau, model);
	await rpc.ask({ type: "set_approval_mode", mode: "plan" });
	await rpc.ask({ type: "prompt", message: "Plan it." });
	await rpc.until(isEvent("agent_end"));
	const changed = await rpc.until(isEvent("model_changed"));
	expect(changed).toMatchObject({ modelId: "played-plan", previous: { modelId: "played-1" } });
	await rpc.ask({ type: "set_approval_mode", mode: "auto" });
	const from = rpc.frames.length;
	await rpc.ask({ type: "prompt", message: "Do it." });
	await rpc.until(isEvent("agent_end"), from);
	expect(modelsOf(tau)).toEqual(["played-plan", "played-1"]);
});

test("a plan that is approved is carried out by the session's own model, in the same run", async () => {
	const args = { plan: "Do it.", steps: ["first"] };
	const submit: Step = { answer: { blocks: [{ toolCall: { name: "submit_plan", arguments: args } }] } };
	await using tau = await launchWith("modelRoles:\n  plan: played/played-plan\n", [submit, "Working."]);
	await using rpc = startRpc(tau, [...model, "--approval-mode", "ask"]);
	await rpc.ask({ type: "set_request_kinds", kinds: ["questions"] });
	await rpc.ask({ type: "set_approval_mode", mode: "plan" });
	await rpc.ask({ type: "prompt", message: "Plan it." });
	const opened = (await rpc.until(isEvent("request_opened"))) as Frame & { request: { id: string } };
	const answer = { answers: [{ id: "plan", chosen: ["Approve"] }] };
	await rpc.ask({ type: "answer_request", requestId: opened.request.id, answer });
	await rpc.until(isEvent("agent_end"));
	expect(modelsOf(tau)).toEqual(["played-plan", "played-1"]);
});

test("titles come from a tiny model, and from a small one if that does not answer", async () => {
	const roles = "modelRoles:\n  tiny: played/played-tiny\n  smol: played/played-small\n";
	for (const works of [true, false]) {
		const tiny: Step = {
			when: { bodyContains: "played-tiny" },
			...(works ? { answer: "Tiny title" } : { fault: { http: 400 as const } }),
		};
		await using tau = await launchWith(roles, [tiny, "Hello.", "Small title"]);
		await using rpc = startRpc(tau, model, { TAU_NO_TITLE: "" });
		await rpc.ask({ type: "prompt", message: "hi" });
		const { name } = await rpc.until(isEvent("session_info_changed"));
		expect(name).toBe(works ? "Tiny title" : "Small title");
		expect(modelsOf(tau)).toEqual(["played-1", "played-tiny", ...(works ? [] : ["played-small"])]);
	}
});

const long = `Never touch a.ts. ${"word ".repeat(3000)}`;
const summary: Step = {
	when: { bodyContains: "Reply with the summary" },
	answer: "## Goal\nShort.",
	times: "always",
};

test("compaction.model writes the summaries; if it fails, the conversation's own model does", async () => {
	const config =
		"modelRoles:\n  smol: played/played-small\ncompaction:\n  model: tau/smol\n  keepRecentTokens: 100\n";
	for (const works of [true, false]) {
		const broken: Step = { when: { bodyContains: "played-small" }, fault: { http: 401 }, times: "always" };
		const steps = [...(works ? [] : [broken]), summary, "Read.", "Read again."];
		await using tau = await launchWith(config, steps);
		await using rpc = startRpc(tau, model);
		for (const message of [long, "And now?"]) {
			const from = rpc.frames.length;
			await rpc.ask({ type: "prompt", message });
			await rpc.until(isEvent("agent_end"), from);
		}
		const response = await rpc.ask({ type: "compact" });
		expect(response).toMatchObject({ success: true, data: { shortSummary: "Short." } });
		expect(modelsOf(tau).slice(2)).toEqual(["played-small", ...(works ? [] : ["played-1"])]);
	}
});

test("compaction.perModel overrides settings for the models that its pattern matches", async () => {
	const config =
		'compaction:\n  perModel:\n    "played/*-small": { thresholdTokens: 3000, keepRecentTokens: 100 }\n';
	for (const name of ["played-1", "played-small"]) {
		await using tau = await launchWith(config, [summary, "Read.", "Read again.", "Read once more."]);
		for (const prompt of [long, "And now?", "And then?"])
			await tau.run(["-p", "-c", prompt, "--model", `played/${name}`]);
		const isSummarized = tau.played.requests.some(({ rawBody }) =>
			rawBody.includes("Reply with the summary"),
		);
		expect([name, isSummarized]).toEqual([name, name === "played-small"]);
	}
});

test("--fallback-model answers when the chosen model keeps failing; one that does not exist is named", async () => {
	const config = "retry:\n  maxRetries: 1\n  baseDelayMs: 1\n";
	const down: Step = { fault: { http: 529 } };
	await using tau = await launchWith(config, [down, down, "From the small one."]);
	const flags = ["-p", "hi", ...model, "--fallback-model"];
	const { code, out } = await tau.run([...flags, "played-small, played-tiny"]);
	expect({ code, out }).toEqual({ code: 0, out: "From the small one.\n" });
	expect(modelsOf(tau)).toEqual(["played-1", "played-1", "played-small"]);
	const wrong = await tau.run([...flags, "played/smoll"]);
	expect(wrong.code).toBe(2);
	expect(wrong.err).toContain('--fallback-model: Unknown model "played/smoll"');
});
