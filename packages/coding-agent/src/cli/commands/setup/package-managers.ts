/** The package managers of systems, and how each installs. */
export interface PackageManager {
	name: ManagerName;
	/** The program that shows that it is there. */
	program: string;
	install: readonly string[];
	/** Installing needs root, unless the user is root. */
	needsRoot: boolean;
}

export type ManagerName = "apt" | "dnf" | "pacman" | "zypper" | "apk" | "brew" | "winget";

/** In order of preference: Homebrew on Linux is there beside the system's own. */
const managers: readonly PackageManager[] = [
	{ name: "apt", program: "apt-get", install: ["apt-get", "install", "-y"], needsRoot: true },
	{ name: "dnf", program: "dnf", install: ["dnf", "install", "-y"], needsRoot: true },
	{
		name: "pacman",
		program: "pacman",
		install: ["pacman", "-S", "--needed", "--noconfirm"],
		needsRoot: true,
	},
	{ name: "zypper", program: "zypper", install: ["zypper", "--non-interactive", "install"], needsRoot: true },
	{ name: "apk", program: "apk", install: ["apk", "add"], needsRoot: true },
	{ name: "brew", program: "brew", install: ["brew", "install"], needsRoot: false },
	{
		name: "winget",
		program: "winget.exe",
		install: ["winget.exe", "install", "-e", "--id"],
		needsRoot: false,
	},
];

export type Which = (program: string) => string | undefined;

export function managerHere(which: Which): PackageManager | undefined {
	return managers.find(({ program }) => which(program) !== undefined);
}

export interface Rights {
	isRoot: boolean;
	hasSudo: boolean;
}

/** The command that installs these packages; where there is no sudo, root has to run it. */
export function installCommand(
	{ install, needsRoot }: PackageManager,
	packages: readonly string[],
	{ isRoot, hasSudo }: Rights,
): string[] {
	return [...(needsRoot && !isRoot && hasSudo ? ["sudo"] : []), ...install, ...packages];
}

/** Whether the user alone cannot run it. */
export function needsOther({ needsRoot }: PackageManager, { isRoot, hasSudo }: Rights): boolean {
	return needsRoot && !isRoot && !hasSudo;
}
