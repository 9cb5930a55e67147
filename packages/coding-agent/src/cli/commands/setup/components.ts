/** What Tau can use if it is there: programs of the system, and what the terminal and the shell offer. */
import type { ManagerName, Which } from "./package-managers.ts";

export interface Component {
	id: string;
	/** What it is for, to follow the name. */
	purpose: string;
	/** Names of programs, any of which will do. */
	programs: string;
	/** The package that brings one of them; absent where the system has none. */
	packages: Readonly<Partial<Record<ManagerName, string>>>;
	/** Only of use on these systems. */
	systems?: readonly NodeJS.Platform[];
	/** Tau does not work well without it. */
	isNeeded?: true;
}

const same = (name: string): Record<ManagerName, string> => ({
	apt: name,
	dnf: name,
	pacman: name,
	zypper: name,
	apk: name,
	brew: name,
	winget: name,
});

export const components: readonly Component[] = [
	{
		id: "git",
		purpose: "diffs, branches, commits and worktrees",
		programs: "git",
		packages: { ...same("git"), winget: "Git.Git" },
		isNeeded: true,
	},
	{
		id: "bash",
		purpose: "the shell of the model's commands",
		programs: "bash",
		packages: { ...same("bash"), winget: "Git.Git" },
		isNeeded: true,
	},
	{
		id: "ripgrep",
		purpose: "searching files (optional fallback; Tau bundles ripgrep)",
		programs: "rg",
		packages: { ...same("ripgrep"), winget: "BurntSushi.ripgrep.MSVC" },
	},
	{
		id: "bubblewrap",
		purpose: "sandboxes commands, so Tau asks less often",
		programs: "bwrap",
		packages: same("bubblewrap"),
		systems: ["linux"],
		isNeeded: true,
	},
	{
		id: "python",
		purpose: "Python cells (tool eval)",
		programs: "python3 python",
		packages: { ...same("python3"), pacman: "python", brew: "python", winget: "Python.Python.3.13" },
	},
	{
		id: "chromium",
		purpose: "the browser (tool browser)",
		programs:
			"chromium chromium-browser google-chrome google-chrome-stable microsoft-edge chrome.exe msedge.exe",
		packages: { ...same("chromium"), winget: "Google.Chrome" },
	},
	{
		id: "ssh",
		purpose: "sessions and commands on other machines",
		programs: "ssh",
		packages: {
			...same("openssh"),
			apt: "openssh-client",
			dnf: "openssh-clients",
			apk: "openssh-client",
			winget: "Microsoft.OpenSSH.Preview",
		},
	},
	{
		id: "clipboard",
		purpose: "copying, and pasting images",
		programs: "wl-copy xclip xsel pbcopy clip.exe termux-clipboard-set",
		packages: same("xclip"),
		systems: ["linux"],
	},
	{
		id: "gh",
		purpose: "pull requests in /review and pages of GitHub",
		programs: "gh",
		packages: { ...same("gh"), pacman: "github-cli", apk: "github-cli", winget: "GitHub.cli" },
	},
];

export interface Found {
	component: Component;
	/** The path of its program; undefined if it is missing. */
	path: string | undefined;
}

export function findComponents(which: Which, system: NodeJS.Platform): Found[] {
	return components
		.filter(({ systems }) => !systems || systems.includes(system))
		.map((component) => ({
			component,
			path: component.programs
				.split(" ")
				.map(which)
				.find((path) => path !== undefined),
		}));
}
