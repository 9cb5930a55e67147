/** Runs one seed of the stress harness, and reports its operations on failure. */
import { step } from "./operations.ts";
import { Play } from "./play.ts";

export interface SeedResult {
	seed: number;
	operations: string[];
	error?: string;
}

export async function runSeed(seed: number, steps: number): Promise<SeedResult> {
	const operations: string[] = [];
	const play = new Play(seed);
	try {
		play.tui.start();
		await play.drawn();
		for (let count = 0; count < steps; count++) await step(play, (name) => operations.push(name));
		operations.push("stop");
		await play.ended();
		return { seed, operations };
	} catch (error) {
		const said = error instanceof Error ? error.message : String(error);
		return { seed, operations, error: `${JSON.stringify(play.shape)}\n${said}` };
	}
}
