/** `tau -p`: what the model reads reaches it, whatever its type. */
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";

import { modelsYml, type Scenario } from "@tau/ai/testing";

import { launch, type Launched } from "../support/launch.ts";

const model = ["--model", "played/played-1"];
const html = { "content-type": "text/html" };

/** 1x1, from the format's description. */
const gif = Buffer.from("R0lGODlhAQABAIAAAP///wAAACH5BAAAAAAALAAAAAABAAEAAAICRAEAOw==", "base64");

/** The model reads some paths, one after the other, and stops. */
function reads(...paths: string[]): Scenario["steps"] {
	return [
		...paths.map((path) => ({ answer: { blocks: [{ toolCall: { name: "read", arguments: { path } } }] } })),
		"Done.",
	];
}

/** The directory beside the only session. */
function sessionFolder(tau: Launched): string {
	const sessions = join(tau.agentDir, "sessions");
	const [project = ""] = readdirSync(sessions);
	const file = readdirSync(join(sessions, project)).find((name) => name.endsWith(".jsonl")) ?? "";
	return join(sessions, project, file.replace(/\.jsonl$/, ""));
}

/** Whether the n-th request contains a text; the body itself would fill a screen. */
function wasSent(tau: Launched, request: number, words: string): boolean {
	return tau.played.requests[request]?.rawBody.includes(words) ?? false;
}

describe.each(["anthropic-messages", "openai-completions"] as const)("over %s", (api) => {
	test("an image reaches the model", async () => {
		await using tau = await launch({ steps: reads("dot.gif") }, api);
		writeFileSync(join(tau.agentDir, "models.yml"), modelsYml(tau.played, { api, input: ["text", "image"] }));
		writeFileSync(join(tau.project, "dot.gif"), gif);
		expect(await tau.run(["-p", "look", ...model])).toMatchObject({ code: 0, out: "Done.\n" });
		expect(wasSent(tau, 1, gif.toString("base64"))).toBe(true);
		expect(wasSent(tau, 1, "dot.gif (image/gif, 1x1 pixels, 43 B)")).toBe(true);
	});
});

test("a model without vision gets a description of the image", async () => {
	await using tau = await launch({ steps: reads("dot.gif") });
	writeFileSync(join(tau.project, "dot.gif"), gif);
	expect(await tau.run(["-p", "look", ...model])).toMatchObject({ code: 0, out: "Done.\n" });
	expect(wasSent(tau, 1, gif.toString("base64"))).toBe(false);
	expect(wasSent(tau, 1, "dot.gif is an image (image/gif, 1x1 pixels, 43 B).")).toBe(true);
});

test("a long output of the session is read by its number", async () => {
	await using tau = await launch({ steps: ["First.", ...reads("artifact://0:2-2", "artifact://7")] });
	await tau.run(["-p", "begin", ...model]);
	const folder = sessionFolder(tau);
	mkdirSync(folder, { recursive: true });
	writeFileSync(join(folder, "0.bash.log"), "ahead\nbehind\n");
	expect(await tau.run(["-p", "--continue", "read it", ...model])).toMatchObject({ code: 0, out: "Done.\n" });
	expect(wasSent(tau, 2, "     2  behind")).toBe(true);
	expect(wasSent(tau, 2, "ahead")).toBe(false);
	expect(wasSent(tau, 3, "There is no artifact 7. Available: 0.")).toBe(true);
});

test("the compiled program reads databases and pages too", async () => {
	using server = Bun.serve({ port: 0, fetch: () => new Response("<p>From the web</p>", { headers: html }) });
	await using tau = await launch({ steps: reads("shop.db:users", `http://localhost:${server.port}/`) });
	writeFileSync(join(tau.agentDir, "config.yml"), "fetch:\n  allowPrivate: true\n");
	{
		using database = new Database(join(tau.project, "shop.db"));
		database.run("CREATE TABLE users(id INTEGER PRIMARY KEY, name); INSERT INTO users VALUES (1, 'Ann')");
	}
	expect(await tau.run(["-p", "read them", ...model])).toMatchObject({ code: 0, out: "Done.\n" });
	expect(wasSent(tau, 1, "id | name\\n1 | Ann")).toBe(true);
	expect(wasSent(tau, 2, "From the web")).toBe(true);
});
