/** `/agents`: watches and steers agents, and creates and edits their types. */
import type { SlashCommand } from "./command.ts";

export const agents: SlashCommand = {
	name: "agents",
	group: "Tools",
	argumentHint: "[name | types | new]",
	description: "Watch and steer agents; create and edit types of agents",
	complete: (prefix, host) =>
		["types", "new", ...host.sessionHost.children.tree.all.map(({ id }) => id)]
			.filter((name) => name.startsWith(prefix))
			.map((name) => ({ value: name, label: name })),
	async run(args, host) {
		const { createType, openAgent, openHub } = await import("../selectors/agents/index.ts");
		if (args === "new") return createType(host);
		if (args !== "" && args !== "types") return openAgent(host, args);
		openHub(host, args === "types" ? "types" : "agents");
	},
};
