/** `/trust`: whether the project's own code may run; shows it, grants it, takes it back. */
import { dirs, shortenHome } from "@tau/utils";
import { forgetTrust, setTrusted, trustAnswer } from "@tau/extensions/trust";

import type { Choice, InteractiveHost } from "../host.ts";
import type { SlashCommand } from "./command.ts";

/** The first one is taken by an Enter that was meant for something else. */
const choices: readonly Choice[] = [
	{ value: "no", label: "No", description: "nothing of it runs, and nobody asks" },
	{ value: "ask", label: "Forget the answer", description: "nothing of it runs; Tau asks the next time" },
	{
		value: "yes",
		label: "Yes, trust it",
		description: "its extensions, the commands in its templates, and git run",
	},
];

export const trust: SlashCommand = {
	name: "trust",
	argumentHint: "[yes|no|ask]",
	description: "Whether the code of this project may run in Tau",
	complete: (prefix) => choices.filter(({ value }) => value.startsWith(prefix.toLowerCase())),
	async run(args, host) {
		const given = choices.find(({ value }) => value === args.toLowerCase())?.value;
		if (args !== "" && given === undefined) throw new Error("Say /trust yes, /trust no or /trust ask.");
		const answer = given ?? (await host.ask.select(`${stateOf(host)}\nMay its code run?`, choices));
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
	const said = trustAnswer(cwd, dirs().agent);
	const here = shortenHome(cwd);
	if (resources?.isTrusted() && said?.trusted !== true) return `${here} is trusted for this run, by --trust.`;
	if (!said) return `${here} is not trusted: nobody has said whether it is.`;
	const from = said.isOwn ? "" : `, because of your answer about ${shortenHome(said.directory)}`;
	return `${here} is ${said.trusted ? "trusted" : "not trusted"}${from}.`;
}
