/** Settings about agents that work for the session. */
import { choice, count, list, toggle } from "../setting.ts";

const power = "it controls what the model may do";

export const agents = {
	"task.enabled": toggle({
		description: "Let the model delegate tasks to agents.",
		default: true,
		notForProjects: power,
	}),
	"task.maxConcurrency": count(
		{ least: 1, most: 32 },
		{
			description: "How many agents of one task call work at the same time; the others wait.",
			default: 8,
			notForProjects: power,
		},
	),
	"task.maxRecursionDepth": count(
		{ least: 0, most: 8 },
		{
			description: "How deep agents may open agents: 0 for no agents, 1 for agents that open none.",
			default: 2,
			notForProjects: power,
		},
	),
	"task.maxTurns": count(
		{ least: 1, most: 10_000 },
		{
			description: "The most turns that an agent takes, unless its task says otherwise.",
			default: 200,
			notForProjects: power,
		},
	),
	"task.stallSeconds": count(
		{ least: 0, most: 86_400, unit: "s" },
		{
			description: "Warn about an agent that has done nothing for this long; 0 for never.",
			default: 180,
			notForProjects: "it would silence a warning about what the model does",
		},
	),
	"irc.enabled": toggle({
		description: "Let agents send messages to each other and to the session.",
		default: true,
		notForProjects: power,
	}),
	"task.isolation.mode": choice(["none", "auto", "overlay", "worktree", "copy"], {
		description:
			"Where agents work: none (in the project), auto (a tree of their own: an overlay where the system has it, otherwise a worktree, otherwise a copy), or one of these. Their changes are merged when they are done.",
		default: "none",
	}),
	"task.isolation.include": list({
		description: "Ignored files that a worktree gets copies of, such as .env or config/local.json.",
	}),
	"task.isolation.link": list({
		description:
			"Ignored files and directories that a worktree or copy gets links to, such as node_modules. Agents share them.",
	}),
};
