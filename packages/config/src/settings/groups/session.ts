/** Settings about where sessions are stored, how they are named, and who may use them. */

import { limits } from "../limits.ts";
import { choice, count, text, toggle } from "../setting.ts";

export const session = {
	sessionDir: text({
		description:
			"Where sessions are stored; ~ is the home directory, relative paths start at the current directory. --session-dir takes precedence. Unset: below the agent directory.",
		default: undefined,
		fixed: true,
		notForProjects: "it controls where files are written",
	}),
	sessionTitle: toggle({
		description:
			"Generate a session name after the first exchange, with one request to the smol model. Print mode never does; TAU_NO_TITLE also disables it.",
		default: true,
		fixed: true,
		notForProjects: "it affects cost",
	}),
	"session.attach": toggle({
		description:
			"Let your other terminals join a session that runs in a terminal (tau attach). It listens on a Unix socket that only you can open.",
		default: true,
		fixed: true,
		notForProjects: "it controls who can reach the session",
	}),
	"session.onHangup": choice(["end", "detach"], {
		description:
			"What happens when the terminal is closed: end the session, or keep it running without one (detach), for tau attach.",
		default: "end",
		notForProjects: "it decides whether programs keep running",
	}),
	"acp.draft": toggle({
		description:
			"Speak version 2 of the Agent Client Protocol, which is a draft, with an editor that asks for it (tau acp). --draft does so for one run.",
		default: false,
		notForProjects: "it decides how editors talk to Tau",
	}),
	"traces.endpoint": text({
		description:
			"The address of an OpenTelemetry collector (http://localhost:4318). A span for each run, request and tool call is sent there, without contents. Unset: nothing is sent.",
		default: undefined,
		fixed: true,
		notForProjects: "it controls who receives records of your work",
	}),
	"rewind.enabled": toggle({
		description:
			"Keep what files were before tools and commands change them, so that /rewind can restore them. Contents are stored beside the session.",
		default: true,
		notForProjects: "it decides whether your files can be restored",
	}),
	"rewind.maxBytes": count(
		{ least: 0, most: limits.rewindMostBytes, unit: "bytes" },
		{
			description:
				"How much contents of changed files may take on disk, for each session and five times as much for all sessions together. The oldest are removed first.",
			default: limits.rewindBytes,
			notForProjects: "it controls what is stored",
		},
	),
};
