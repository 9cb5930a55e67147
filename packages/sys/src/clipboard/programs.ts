/** The programs that reach the clipboard on this system, best first. */
import type { Env } from "@tau/utils";

export interface ClipboardProgram {
	/** Empty for a program that cannot copy. */
	copy: readonly string[];
	paste: readonly string[];
	/** Lists the types that the clipboard offers, and reads one of them. */
	types?: readonly string[];
	pasteAs?: (type: string) => readonly string[];
	/** Reads an image as base64 of a PNG. */
	pasteImage?: readonly string[];
	/** The encoding of the program's input; clip.exe would read UTF-8 in the system's own code page. */
	encoding?: "utf16le";
}

const wayland: ClipboardProgram = {
	copy: ["wl-copy"],
	paste: ["wl-paste", "--no-newline"],
	types: ["wl-paste", "--list-types"],
	pasteAs: (type) => ["wl-paste", "--type", type],
};
const xclip: ClipboardProgram = {
	copy: ["xclip", "-selection", "clipboard"],
	paste: ["xclip", "-selection", "clipboard", "-o"],
	types: ["xclip", "-selection", "clipboard", "-t", "TARGETS", "-o"],
	pasteAs: (type) => ["xclip", "-selection", "clipboard", "-t", type, "-o"],
};
const xsel: ClipboardProgram = {
	copy: ["xsel", "--clipboard", "--input"],
	paste: ["xsel", "--clipboard", "--output"],
};
const mac: ClipboardProgram = { copy: ["pbcopy"], paste: ["pbpaste"] };
const termux: ClipboardProgram = { copy: ["termux-clipboard-set"], paste: ["termux-clipboard-get"] };

const powershell = ["powershell.exe", "-NoProfile", "-NonInteractive", "-Command"] as const;
const pasteText = "[Console]::OutputEncoding=[Text.Encoding]::UTF8; Get-Clipboard -Raw";
const pasteImage =
	"Add-Type -A System.Windows.Forms; $i=[Windows.Forms.Clipboard]::GetImage(); if($i){$m=New-Object IO.MemoryStream; $i.Save($m,'Png'); [Convert]::ToBase64String($m.ToArray())}";
const windows: ClipboardProgram = {
	copy: ["clip.exe"],
	paste: [...powershell, pasteText],
	pasteImage: [...powershell, pasteImage],
	encoding: "utf16le",
};

/** The programs for this session, whether they are installed or not. */
export function clipboardPrograms(env: Env, platform: NodeJS.Platform): ClipboardProgram[] {
	if (env["TERMUX_VERSION"]) return [termux];
	if (platform === "darwin") return [mac];
	if (platform === "win32") return [windows];
	const programs: ClipboardProgram[] = [];
	if (env["WAYLAND_DISPLAY"]) programs.push(wayland);
	if (env["DISPLAY"]) programs.push(xclip, xsel);
	if (env["WSL_DISTRO_NAME"] || env["WSL_INTEROP"]) programs.push(windows);
	return programs;
}

/** What a user can do to get a clipboard. */
export function clipboardAdvice(env: Env, platform: NodeJS.Platform): string {
	if (env["TERMUX_VERSION"]) return "Install Termux:API (pkg install termux-api).";
	if (platform === "darwin" || platform === "win32")
		return "The system's clipboard programs are not on PATH.";
	if (env["WAYLAND_DISPLAY"]) return "Install wl-clipboard (wl-copy, wl-paste).";
	if (env["DISPLAY"]) return "Install xclip or xsel.";
	return "No display is available (neither WAYLAND_DISPLAY nor DISPLAY is set), so only the terminal can copy (OSC 52).";
}
