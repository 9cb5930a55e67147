/** Settings about the sandbox of the model's commands. */
import { choice, list, ports, toggle } from "../setting.ts";

export const sandbox = {
	"sandbox.mode": choice(["auto", "required", "off"], {
		description:
			"Run the model's commands in a sandbox: auto where the machine has one, required (no command runs without), or off. TAU_SANDBOX and --sandbox override it. A project can only set required.",
		default: "auto",
		alsoReads: { on: "auto", true: "auto", false: "off" },
	}),
	"sandbox.network.allow": list({
		description:
			"Hosts that sandboxed commands can reach, such as registry.npmjs.org or *.example.org:8443. Tau asks before connecting to other hosts.",
		notForProjects: "it opens the network",
	}),
	"sandbox.network.publish": ports({
		description:
			"Ports of servers that sandboxed commands start which become reachable on your 127.0.0.1, such as 3000; or allow, ask or deny for all. Tau asks about others.",
		notForProjects: "it opens ports on your machine",
	}),
	"sandbox.network.local": ports({
		description:
			"Ports of your own 127.0.0.1 that sandboxed commands can connect to, such as 5432 for a database; or allow, ask or deny for all. Tau asks about others.",
		notForProjects: "it opens services of your machine",
	}),
	"sandbox.writable": list({
		description: "Paths outside the project that sandboxed commands can write to, such as ~/.cargo/registry.",
		notForProjects: "it weakens the sandbox",
	}),
	"sandbox.hidden": list({
		description: "Paths that sandboxed commands cannot see, besides keys and other secrets.",
	}),
	"environment.pass": list({
		description:
			"Variables that commands, hooks and MCP servers get although they look like secrets, such as GITHUB_TOKEN or AWS_*.",
		notForProjects: "it passes secrets on",
	}),
	"sandbox.unixSockets": toggle({
		description:
			"Let sandboxed commands use Unix sockets, as some test runners do. They could then reach services of this machine.",
		default: false,
		notForProjects: "it weakens the sandbox",
	}),
};
