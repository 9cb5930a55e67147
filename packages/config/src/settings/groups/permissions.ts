/** Settings about what the model may do without asking. A project's files can only narrow them. */
import { choice, list, table, toggle } from "../setting.ts";

const rules =
	"Rules as in Claude Code: Bash(git status:*), Read(./secrets/**), Edit(src/**), WebFetch(domain:example.com), the name of a tool, mcp__server. The lists of all files count.";

export const permissions = {
	"tools.approvalMode": choice(["plan", "ask", "auto", "full"], {
		description:
			"When Tau asks before a tool runs: plan (read only), ask (before each change and command), auto (at the boundary), full (never; to be confirmed in each session). A project's value applies if it is stricter than yours.",
		default: undefined,
		// omp's values.
		alsoReads: { "always-ask": "ask", "always-ask-cached": "ask", write: "auto", yolo: "full" },
	}),
	"tools.approval": table({
		description:
			"What happens when the model calls a tool, by the tool's name: allow, ask (or omp's prompt) or deny.",
	}),
	"permissions.allow": list({
		description: `What runs without asking. ${rules} A project's list is ignored unless permissions.projectAllow is set.`,
	}),
	"permissions.ask": list({ description: `What is always asked about. ${rules}` }),
	"permissions.deny": list({
		description: `What never runs, in any mode; it takes precedence over everything. ${rules}`,
	}),
	"permissions.projectAllow": toggle({
		description: "Whether files of a project that you trust may allow calls, too.",
		default: false,
		notForProjects: "it controls what the model may do",
	}),
};
