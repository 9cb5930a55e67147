/** What the terminal shows and passes on, and how text and images are copied. */
import { clipboardAdvice, clipboardPrograms } from "@tau/sys";

import { limits } from "../../limits.ts";
import { surroundings } from "../setup/surroundings.ts";
import type { Outcome } from "./problems.ts";

export async function terminal(): Promise<Outcome> {
	const around = surroundings(process.env, process.stdout.isTTY);
	const shown = around.filter(({ id }) => ["terminal", "colors", "characters"].includes(id));
	const characters = shown.find(({ id, fix }) => id === "characters" && fix !== undefined);
	const problems: Outcome["problems"] = characters
		? [{ problem: `Characters: ${characters.state}.`, fix: characters.fix ?? "", severity: "warning" }]
		: [];
	if (process.env.TMUX !== undefined) problems.push(...(await tmuxProblems()));
	return {
		about: shown.map(({ id, state }) => (id === "colors" ? `${state} colors` : state)).join(", "),
		problems,
	};
}

/** What tmux has to pass on for images, links and keys such as shift+enter. */
async function tmuxProblems(): Promise<Outcome["problems"]> {
	const wanted = [
		{ option: "allow-passthrough", flag: "-g", effect: "no images are shown" },
		{ option: "extended-keys", flag: "-s", effect: "shift+enter and some other keys do not arrive" },
	];
	const states = await Promise.all(
		wanted.map(async (one) => ({ ...one, value: await tmuxOption(one.option, one.flag) })),
	);
	return states
		.filter(({ value }) => value === "off")
		.map(({ option, flag, effect }) => ({
			problem: `tmux has ${option} off: ${effect}.`,
			fix: `Add to ~/.tmux.conf: set ${flag} ${option} on`,
			severity: "warning",
		}));
}

async function tmuxOption(option: string, flag: string): Promise<string | undefined> {
	const program = Bun.which("tmux");
	if (program === null) return undefined;
	const child = Bun.spawn([program, "show-options", `${flag}v`, option], {
		stdin: "ignore",
		stdout: "pipe",
		stderr: "ignore",
		timeout: limits.doctorProgramMs,
	});
	const value = (await new Response(child.stdout).text()).trim();
	return (await child.exited) === 0 ? value : undefined;
}

export function clipboard(): Outcome {
	const names = clipboardPrograms(process.env, process.platform).map(({ copy: [name = ""] }) => name);
	const installed = names.find((name) => Bun.which(name) !== null);
	if (installed !== undefined) return { about: installed, problems: [] };
	const about = "through the terminal (OSC 52)";
	const fix = clipboardAdvice(process.env, process.platform);
	// Without a display there is no clipboard on this machine: only the terminal can have one.
	if (names.length === 0) return { about: `${about}; images cannot be pasted`, problems: [] };
	const problem = `Neither ${names.join(" nor ")} is installed: images cannot be pasted, and not every terminal copies.`;
	return { about, problems: [{ problem, fix, severity: "warning" }] };
}
