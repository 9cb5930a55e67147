/** Recorded sessions of every kind of answer replay byte for byte, without a network. */
// isolated: keys that other tests register would be masked in its recordings
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { modelsYml, playModel, type Scenario } from "@tau/ai/testing";
import { framesOf, readCassette, Recording, timelineOf } from "@tau/cassette";
import { Tape } from "@tau/cassette/tape";
import { createAgentSession } from "@tau/coding-agent";
import { SessionManager } from "@tau/log";

import { samples } from "../support/depth.ts";

const directory = mkdtempSync(join(tmpdir(), "tau-replays-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** The same numbers for the same seed. */
function random(seed: number): (below: number) => number {
	let state = seed * 2_654_435_761 + 1;
	return (below) => {
		state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
		return Math.floor((state / 2_147_483_648) * below);
	};
}

const words = [
	"Hello",
	"wörld",
	"🙂",
	"你好",
	"\n\n- a list",
	"`code`",
	'"quoted"',
	"\u2028",
	"data: x",
	"end.",
];

type Step = NonNullable<Scenario["steps"]>[number];

function scenarioOf(next: (below: number) => number, prompts: number): Step[] {
	const text = (): { text: string; chunks: number } => ({
		text: Array.from({ length: 1 + next(40) }, () => words[next(words.length)]).join(" "),
		chunks: 1 + next(12),
	});
	return Array.from({ length: prompts }, (): Step[] => {
		const kind = next(5);
		if (kind === 0) return [{ fault: { http: 400 } }];
		const call = (command: string): Step => ({
			answer: {
				blocks: [text(), { toolCall: { name: "bash", arguments: { command } }, chunks: 1 + next(5) }],
			},
		});
		const calls = Array.from({ length: next(3) }, () => call(`echo ${next(1000)}; cat note.txt`));
		return [...calls, { answer: { blocks: [text(), text()] } }];
	}).flat();
}

async function recordAndReplay(seed: number): Promise<void> {
	const next = random(seed);
	const place = mkdtempSync(join(directory, "session-"));
	writeFileSync(join(place, "note.txt"), `note ${seed}\n`);
	const prompts = 1 + next(3);
	const api =
		(["anthropic-messages", "openai-completions", "openai-responses"] as const)[seed % 3] ??
		"anthropic-messages";
	const played = await playModel({ steps: scenarioOf(next, prompts), fallback: { answer: "More." } });
	writeFileSync(join(place, "models.yml"), modelsYml(played, { api }));
	writeFileSync(join(place, "config.yml"), "retry:\n  enabled: false\n");
	const log = SessionManager.create(place, join(place, "sessions"));
	const tape = new Tape();
	const file = join(place, "session.cassette");
	{
		using _log = log;
		await using tau = await createAgentSession({
			cwd: place,
			agentDir: place,
			model: "played/played-1",
			sessionManager: log,
			approvalMode: "full",
			tools: ["bash"],
			skills: false,
			contextFiles: false,
			wrapStream: (stream) => tape.around(stream),
		});
		const around = { cwd: place, home: "/nowhere", sessionId: log.getSessionId(), date: "2026-01-01" };
		const recording = new Recording({ log, file, tape, surroundings: () => around });
		for (let at = 0; at < prompts; at++) {
			try {
				await tau.session.prompt({ text: `prompt ${at} of ${seed}` });
			} catch {
				// An answer that failed is recorded like any other.
			}
		}
		await recording.stop();
	}
	await played.close();
	const cassette = readCassette(file);
	const timeline = await timelineOf(cassette);
	expect(timeline.drift, `seed ${seed}`).toEqual([]);
	const written = readFileSync(log.getSessionFile() ?? "", "utf8");
	expect(timeline.log.map((line) => `${line}\n`).join(""), `seed ${seed}`).toBe(written);
	expect(cassette.exchanges.length).toBeGreaterThanOrEqual(prompts);
	const frames = [...framesOf(cassette, timeline)].map((frame) => JSON.stringify(frame));
	const again = [...framesOf(cassette, await timelineOf(readCassette(file)))].map((frame) =>
		JSON.stringify(frame),
	);
	expect(again, `seed ${seed}`).toEqual(frames);
}

test("each recorded session becomes the same log again, and plays the same frames", async () => {
	for (let seed = 1; seed <= samples(200, 6); seed++) await recordAndReplay(seed);
}, 300_000);
