/** What a user can type while a recording plays. */
import type { CommandInfo } from "@tau/wire";
import type { Playback } from "@tau/wire/remote";

export const playerCommands: readonly CommandInfo[] = [
	{ name: "pause", description: "pause, or continue (also Esc)", right: "view", source: "extension" },
	{
		name: "speed",
		description: "play faster or slower",
		argumentHint: "<times>",
		right: "view",
		source: "extension",
	},
	{
		name: "seek",
		description: "go to an answer",
		argumentHint: "<number>|+n|-n",
		right: "view",
		source: "extension",
	},
];

/** Throws with the reason for the user. */
export function playerReply(player: Playback, name: string, argument = ""): string {
	const { isPaused, step } = player.state;
	if (name === "pause") player.pause(!isPaused);
	else if (name === "speed") player.setSpeed(numberIn(argument.replace(/x$/, ""), "/speed 4"));
	else if (name === "seek") {
		const number = numberIn(argument, "/seek 3");
		player.seekStep(Math.max(0, /^[+-]/.test(argument) ? step + number : number));
	} else throw new Error("This is a recording. /pause, /speed 4 and /seek 3 control it; /quit leaves it.");
	return stateLine(player);
}

export function stateLine({ state }: Playback): string {
	const { isPaused, speed, step, steps, atMs, lengthMs } = state;
	const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
	return `${isPaused ? "Paused" : "Playing"} at ${speed}x · answer ${step} of ${steps} · ${seconds(atMs)} of ${seconds(lengthMs)}`;
}

function numberIn(text: string, example: string): number {
	const number = Number(text);
	if (text.trim() === "" || !Number.isFinite(number)) throw new Error(`Give a number: ${example}`);
	return number;
}
