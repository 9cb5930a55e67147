/** What a sandboxed command can see, write and reach, for a user. */
import { containerKind, type SandboxProfile, type SandboxSupport } from "@tau/machines/sandbox";
import type { SessionSandbox } from "@tau/session/sandbox";
import { shortenHome } from "@tau/utils";

export interface ExplainedSandbox {
	support: SandboxSupport;
	container: string | undefined;
	hosts: readonly string[];
	profile: SandboxProfile;
}

export async function explainSandbox(
	sandbox: SessionSandbox,
	hosts: readonly string[],
): Promise<ExplainedSandbox> {
	const [support, profile] = await Promise.all([sandbox.support(), sandbox.profile()]);
	return { support, container: containerKind(process.env), hosts, profile };
}

const kinds: Record<SandboxSupport["kind"], string> = {
	bubblewrap: "bubblewrap, with a network of its own",
	"bubblewrap-shared-network": "bubblewrap without a network of its own: sockets are refused",
	landlock: "Landlock and a filter of system calls",
	seatbelt: "Seatbelt",
	none: "none",
};

export function sandboxLines({ support, container, hosts, profile }: ExplainedSandbox): string[] {
	const isLandlock = support.kind === "landlock";
	const paths = (title: string, list: readonly string[]): string[] =>
		list.length === 0 ? [] : ["", title, ...list.map((path) => `  ${shortenHome(path)}`)];
	return [
		`Sandbox: ${kinds[support.kind]}`,
		...(support.reason === undefined ? [] : [`Why: ${support.reason}.`]),
		...(support.fix === undefined ? [] : [support.fix]),
		...(container === undefined ? [] : [`This is ${container}: a boundary already.`]),
		...paths("Writable:", [
			...profile.writable,
			isLandlock ? "$TMPDIR (private)" : "/tmp (private)",
			...optional(profile.cacheDir),
		]),
		...paths(
			isLandlock ? "Put back after a command has changed it:" : "Read-only inside of it:",
			profile.readOnly,
		),
		...paths("Hidden:", [...profile.hidden, ...profile.emptied, ...(isLandlock ? ["/tmp", "/var/tmp"] : [])]),
		"",
		"Everything else is read-only.",
		"",
		...(isLandlock ? landlockLimits : networkLines(hosts, profile)),
	];
}

/** What bubblewrap would contain, and Landlock does not. */
const landlockLimits = [
	"Network: none. Hosts can be allowed only with bubblewrap.",
	"Unix sockets: refused.",
	"",
	"Not contained without bubblewrap:",
	"  Other processes are visible, with their command lines, but cannot be signaled or read.",
	"  Modes, owners and times of your files can be changed.",
	"  A background process can change protected files while no command runs.",
	"  Directories that contain something hidden, such as ~, cannot be listed.",
];

function networkLines(hosts: readonly string[], profile: SandboxProfile): string[] {
	return [
		`Network: ${hosts.length === 0 ? "no host is allowed" : hosts.join(", ")}. Tau asks before connecting to others, and refuses where nobody can answer.`,
		`Unix sockets: ${profile.unixSockets ? "allowed" : "refused"}.`,
	];
}

function optional(path: string | undefined): string[] {
	return path === undefined ? [] : [`${path} (caches)`];
}
