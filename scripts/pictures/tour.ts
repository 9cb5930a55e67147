/** The scenes of docs/tour.md. */
import type { Answer, Scenario } from "@tau/ai/testing";

import type { Scene } from "./capture.ts";
import { edits, scenario as mended, prompt } from "./project.ts";

export type TourScene = Pick<Scene, "title" | "rows" | "keys"> &
	Partial<Pick<Scene, "args" | "past" | "scenario">> & { file: string };

const call = (name: string, args: Record<string, unknown>): Answer["blocks"][number] => ({
	toolCall: { name, arguments: args },
});
const answer = (...blocks: Answer["blocks"]): Scenario["steps"][number] => ({ answer: { blocks } });

const ended = /All four tests pass[\s\S]*\$/;
const delegated = [
	{ name: "Rounding", agent: "explore", assignment: "Where are prices rounded? List file and line." },
	{ name: "Callers", agent: "explore", assignment: "Who calls total? List file and line." },
];
/** Longer than any picture takes. */
const pause = { pauseMs: 60_000, afterChunks: 0 };

export const tour: readonly TourScene[] = [
	{
		file: "tour-steer.svg",
		title: "A command runs; a steering message and a follow-up wait in the queue",
		rows: 20,
		scenario: {
			steps: [
				answer({ text: "I'll run the tests." }, call("bash", { command: "node --watch test/cart.test.js" })),
			],
		},
		keys: [
			["fix the rounding in src/cart.js\r", /node --watch/],
			["keep prices in whole cents\r", /Steering/],
			["then update the docs\x1b\r", /Follow-up/],
		],
	},
	{
		file: "tour-approval.svg",
		title: "Tau asks before a command that overwrites commits of a remote, and says why",
		rows: 22,
		args: ["--approval-mode", "ask"],
		scenario: {
			steps: [
				answer(
					{ text: "The fix is committed. I'll push it." },
					call("bash", { command: "git push origin main --force" }),
				),
			],
		},
		keys: [
			["commit and push\r", /Allow bash/],
			["\x18", /enter/i],
		],
	},
	{
		file: "tour-agents.svg",
		title: "The hub lists the agents at work: state, tokens, cost and time",
		rows: 24,
		scenario: {
			steps: [
				answer(
					{ text: "Two agents look at it, each with its own question." },
					call("task", { tasks: delegated }),
				),
			],
			fallback: { answer: "Found.", fault: pause },
		},
		keys: [
			["does anything else count cents?\r", /running/],
			["/agents\r", /esc close/],
		],
	},
	{
		file: "tour-rewind.svg",
		title: "/rewind lists your messages, each with the files that have changed since",
		rows: 40,
		scenario: mended,
		keys: [
			[`${prompt}\r`, ended],
			["/rewind\r", /esc close/],
		],
	},
	{
		file: "tour-resume.svg",
		title: "/resume lists past sessions with their outcome, and previews the selected one",
		rows: 20,
		past: ["explain the cart", "add a coupon field to the checkout page", "fix the rounding of discounts"],
		scenario: {
			steps: [
				"`total` adds up prices.",
				answer(call("edit", { path: "src/cart.js", edits })),
				"The form has a coupon field.",
				"Totals are rounded to whole cents.",
			],
		},
		keys: [["/resume\r", /fix the rounding/]],
	},
];
