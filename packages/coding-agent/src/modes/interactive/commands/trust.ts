/** `/trust`: whether the project's own code may run; shows it, grants it, takes it back. */
import { dirs, shortenHome } from "@tau/utils";
import { forgetTrust, setTrusted, trustAnswer } from "@tau/extensions/trust";

import type { Choice, InteractiveHost } from "../host.ts";
import type { SlashCommand } from "./command.ts";

/** The first option is the one that an accidental Enter selects. */
const choices: readonly Choice[] = [
	{ value: "no", label: "No", description: "don't load its code, and don't ask again" },
	{ value: "ask", label: "Reset", description: "don't load its code; ask again next time" },
	{
		value: "yes",
		label: "Yes, trust it",
		description: "run its extensions, commands in its templates, and git",
	},
];

export const trust: SlashCommand = {
	name: "trust",
	group: "Setup",
	argumentHint: "[yes|no|ask]",
	description: "Trust or distrust this project's code",
	complete: (prefix) => choices.filter(({ value }) => value.startsWith(prefix.toLowerCase())),
	async run(args, host) {
		const input = choices.find(({ value }) => value === args.toLowerCase())?.value;
		if (args !== "" && input === undefined) throw new Error("Usage: /trust yes|no|ask");
		const answer =
			input ??
			(await host.ask.select(`${stateOf(host)}\nTrust this project (extensions, hooks, git)?`, choices));
		if (answer === undefined) return;
		const { agent } = dirs();
		if (answer === "ask") forgetTrust(host.cwd, agent);
		else setTrusted(host.cwd, agent, answer === "yes");
		const problems = await host.reload();
		for (const problem of problems) host.notify(problem, "warning");
		host.notify(stateOf(host), "success");
	},
};

function stateOf({ cwd, resources }: InteractiveHost): string {
	const answer = trustAnswer(cwd, dirs().agent);
	const here = shortenHome(cwd);
	if (resources?.isTrusted() && answer?.trusted !== true) return `${here} is trusted for this run (--trust).`;
	if (!answer) return `${here} is not trusted yet.`;
	const from = answer.isOwn ? "" : `, because of your answer about ${shortenHome(answer.directory)}`;
	return `${here} is ${answer.trusted ? "trusted" : "not trusted"}${from}.`;
}
