/** Takes a picture of the real program at work: it runs in a pseudo-terminal, with a played model. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { modelsYml, playModel, type Scenario } from "@tau/ai/testing";
import { Terminal } from "@xterm/headless";

import { makeProject } from "./project.ts";
import { svgOf, type Appearance } from "./svg.ts";

const root = join(import.meta.dir, "../..");
/** A scene that never shows what it waits for is a mistake in the scene, or in Tau. */
const patienceMs = 30_000;
const settleMs = 200;

/** What is typed, and what has to be on the screen before the next. */
export type Keys = readonly (readonly [typed: string, shown: RegExp])[];

export interface Scene {
	title: string;
	appearance: Appearance;
	columns: number;
	rows: number;
	scenario: Scenario;
	keys: Keys;
	/** More settings, as lines of YAML. */
	settings?: string;
	args?: readonly string[];
	env?: Readonly<Record<string, string>>;
	/** Prompts of earlier sessions. */
	past?: readonly string[];
	/** Without a model, as at the very first start. */
	isFirstRun?: boolean;
	/** Keeps the rows below the last text. */
	isWhole?: boolean;
}

export async function take(scene: Scene): Promise<string> {
	const home = mkdtempSync(join(tmpdir(), "tau-pictures-"));
	try {
		const project = join(home, "shop");
		makeProject(project);
		await using played = await playModel(scene.scenario);
		const agentDir = join(home, ".tau/agent");
		mkdirSync(agentDir, { recursive: true });
		if (!scene.isFirstRun)
			writeFileSync(join(agentDir, "models.yml"), modelsYml(played, { api: "anthropic-messages" }));
		const settings = `theme: ${scene.appearance}\nui:\n  motion: "off"\n${scene.settings ?? ""}`;
		writeFileSync(join(agentDir, "config.yml"), settings);
		const model = scene.isFirstRun ? [] : ["--model", "played/played-1"];
		const command = [join(root, "tau"), ...model, ...(scene.args ?? [])];
		const env = {
			PATH: process.env.PATH ?? "",
			HOME: home,
			TERM: "xterm-256color",
			COLORTERM: "truecolor",
			LANG: "C.UTF-8",
			TAU_NO_TITLE: "1",
			...scene.env,
		};
		for (const prompt of scene.past ?? [])
			await Bun.spawn([...command, "-p", prompt], { cwd: project, env, stdout: "ignore", stderr: "ignore" })
				.exited;
		const terminal = new Terminal({
			cols: scene.columns,
			rows: scene.rows,
			allowProposedApi: true,
			logLevel: "off",
		});
		const decoder = new TextDecoder();
		let changed = Promise.withResolvers<void>();
		await using child = Bun.spawn(command, {
			cwd: project,
			env,
			terminal: {
				cols: scene.columns,
				rows: scene.rows,
				data(_, chunk) {
					terminal.write(decoder.decode(chunk, { stream: true }), () => {
						changed.resolve();
						changed = Promise.withResolvers<void>();
					});
				},
			},
		});
		terminal.onData((reply) => void child.terminal?.write(reply));
		const until = async (shown: RegExp): Promise<void> => {
			const deadline = AbortSignal.timeout(patienceMs);
			while (!shown.test(screenOf(terminal))) {
				const late = Promise.withResolvers<void>();
				deadline.addEventListener("abort", () => late.resolve(), { once: true });
				await Promise.race([changed.promise, late.promise]);
				if (deadline.aborted)
					throw new Error(`${scene.title}: ${shown} was not shown:\n${screenOf(terminal)}`);
			}
		};
		await until(/%/);
		for (const [typed, shown] of scene.keys) {
			child.terminal?.write(typed);
			await until(shown);
		}
		// A frame may come in several pieces, and colors of code after it.
		await Bun.sleep(settleMs);
		const { appearance, title, isWhole } = scene;
		const picture = svgOf(terminal, { appearance, title, isWhole, home });
		child.kill();
		return picture;
	} finally {
		rmSync(home, { recursive: true, force: true });
	}
}

function screenOf(terminal: Terminal): string {
	const { active } = terminal.buffer;
	return Array.from(
		{ length: terminal.rows },
		(_, row) => active.getLine(active.viewportY + row)?.translateToString(true) ?? "",
	).join("\n");
}
