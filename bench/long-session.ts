/** How a session of very many turns grows. Run by itself, it holds such a session and reports its memory on the way. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { createAgentSession, SessionManager } from "@tau/coding-agent";
import { playModel, testModel } from "@tau/ai/testing";

import type { Row } from "./report.ts";

const megabyte = 1e6;
const [settled, all] = [100, 1000];
const rounds = 3;

export async function longSession(): Promise<Row[]> {
	const growths: number[] = [];
	// Each call is another one: a model that repeats itself is stopped.
	const steps = Array.from({ length: all }, (_, at) => {
		const call = { toolCall: { name: "bash", arguments: { command: `echo ${at}` } } };
		return { answer: { blocks: [{ text: "On it." }, call] } };
	});
	for (let round = 0; round < rounds; round++) {
		// The model keeps every request, so it lives here and not in the process that is measured.
		await using played = await playModel({ steps: [...steps, "Done."] });
		await using child = Bun.spawn([process.execPath, import.meta.path, played.anthropicUrl], {
			stdout: "pipe",
			stderr: "pipe",
		});
		const [text, errors] = await Promise.all([child.stdout.text(), child.stderr.text()]);
		if ((await child.exited) !== 0) throw new Error(errors);
		growths.push(Number(text));
	}
	const middle = growths.toSorted((a, b) => a - b)[Math.floor(rounds / 2)] ?? Number.NaN;
	return [
		{ name: `growth from turn ${settled} to ${all}`, value: middle / megabyte, unit: "MB", budget: 60 },
	];
}

async function growth(baseUrl: string): Promise<number> {
	const base = mkdtempSync(join(tmpdir(), "tau-long-session-"));
	try {
		const model = testModel({ baseUrl, input: ["text"], contextWindow: 100_000_000 });
		using tau = await createAgentSession({
			cwd: base,
			agentDir: join(base, "agent"),
			model,
			apiKey: "key",
			sessionManager: SessionManager.create(base, join(base, "sessions")),
			tools: ["bash"],
		});
		let turns = 0;
		let before = 0;
		using _ = tau.session.subscribe((event) => {
			if (event.type !== "turn_end" || ++turns !== settled) return;
			Bun.gc(true);
			before = process.memoryUsage.rss();
		});
		await tau.session.prompt({ text: "go" });
		if (turns !== all + 1) throw new Error(`only ${turns} turns`);
		Bun.gc(true);
		return process.memoryUsage.rss() - before;
	} finally {
		rmSync(base, { recursive: true, force: true });
	}
}

if (import.meta.main) process.stdout.write(String(await growth(process.argv[2] ?? "")));
