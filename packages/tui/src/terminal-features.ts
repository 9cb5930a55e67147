/**
 * Detects the features of a terminal from its environment; pure, and only for features whose wrong detection is
 * cosmetic.
 */
import { env, envFlag, type Env } from "@tau/utils";

export type ImageProtocol = "kitty" | "iterm2" | "sixel" | null;

export interface TerminalFeatures {
	/** Frames are displayed atomically (DEC mode 2026). */
	syncOutput: boolean;
	/** The user has decided about it, and no reply of the terminal changes that. */
	syncOutputForced: boolean;
	/** tmux, screen or zellij is in between: history cannot be erased and sizes change differently. */
	multiplexer: boolean;
	images: ImageProtocol;
	/** Neither the environment nor the user has decided about images: the terminal's own reply does. */
	asksForSixel: boolean;
	/** Kitty images as text: they move, scroll and disappear like letters. */
	placeholders: boolean;
	/** Images are for the terminal around tmux, which passes them on with `allow-passthrough on`. */
	passthrough: boolean;
	trueColor: boolean;
	hyperlinks: boolean;
	/** The background that the terminal has set in `COLORFGBG`; its reply to a query is more reliable. */
	appearance: "dark" | "light" | undefined;
	/** The terminal does not understand escape sequences. */
	dumb: boolean;
}

type Brand =
	"kitty" | "ghostty" | "wezterm" | "iterm2" | "vscode" | "alacritty" | "konsole" | "warp" | "other";

export function detectFeatures(from: Env = process.env): TerminalFeatures {
	const multiplexer = isMultiplexer(from);
	const brand = brandOf(from);
	const forced = forcedSync(from);
	const dumb = from.TERM === "dumb";
	const images = dumb ? null : imagesOf(from, brand, multiplexer);
	const passthrough = images === "kitty" && Boolean(from.TMUX);
	return {
		syncOutput: forced ?? (!dumb && defaultSync(from, brand, multiplexer)),
		syncOutputForced: forced !== undefined,
		multiplexer,
		images,
		asksForSixel: images === null && !dumb && !multiplexer && forcedImages(from) === undefined,
		// tmux moves text, and knows nothing of images: only those that are text stay in their places.
		placeholders: images === "kitty" && (passthrough || placeholdersOf(from, brand)),
		passthrough,
		trueColor:
			!dumb && (/truecolor|24bit/i.test(from.COLORTERM ?? "") || (brand !== "other" && !multiplexer)),
		hyperlinks: !dumb && !multiplexer && (brand !== "other" || from.VTE_VERSION !== undefined),
		appearance: appearanceOf(from.COLORFGBG),
		dumb,
	};
}

/** `foreground;background` or `foreground;other;background`, as numbers of the 16 colors: 7 and 9 to 15 are light. */
function appearanceOf(colors: string | undefined): "dark" | "light" | undefined {
	const background = /;(\d{1,2})$/.exec(colors ?? "")?.[1];
	if (background === undefined || Number(background) > 15) return undefined;
	return Number(background) === 7 || Number(background) > 8 ? "light" : "dark";
}

function isMultiplexer(from: Env): boolean {
	if (from.TMUX || from.ZELLIJ || from.STY) return true;
	return /^(?:tmux|screen)/.test(from.TERM ?? "");
}

function brandOf(from: Env): Brand {
	const program = (from.TERM_PROGRAM ?? "").toLowerCase();
	const term = from.TERM ?? "";
	if (from.KITTY_WINDOW_ID || term.includes("kitty")) return "kitty";
	if (program === "ghostty" || term.includes("ghostty") || from.GHOSTTY_RESOURCES_DIR) return "ghostty";
	if (program === "wezterm" || from.WEZTERM_PANE) return "wezterm";
	if (program === "iterm.app" || from.ITERM_SESSION_ID) return "iterm2";
	if (program === "vscode") return "vscode";
	if (program === "warpterminal") return "warp";
	if (program === "alacritty" || term.includes("alacritty") || from.ALACRITTY_WINDOW_ID) return "alacritty";
	return from.KONSOLE_VERSION ? "konsole" : "other";
}

function forcedSync(from: Env): boolean | undefined {
	const setting = env("TAU_TUI_SYNC_OUTPUT", from);
	if (envFlag("TAU_NO_SYNC_OUTPUT", from) || setting === "0") return false;
	return envFlag("TAU_FORCE_SYNC_OUTPUT", from) || setting === "1" ? true : undefined;
}

/** Only where it is known to work; the terminal's own reply (DECRQM) decides later for all others. */
function defaultSync(from: Env, brand: Brand, multiplexer: boolean): boolean {
	if (/Sy/.test(from.TERM_FEATURES ?? "")) return true;
	if (from.WT_SESSION) return true;
	return brand !== "other" && brand !== "konsole" && !multiplexer;
}

function imagesOf(from: Env, brand: Brand, multiplexer: boolean): ImageProtocol {
	const setting = forcedImages(from);
	if (setting === "kitty" || setting === "iterm2" || setting === "sixel") return setting;
	if (setting === "iterm") return "iterm2";
	if (setting !== undefined || multiplexer) return null;
	if (brand === "kitty" || brand === "ghostty" || brand === "wezterm" || brand === "konsole") return "kitty";
	return brand === "iterm2" ? "iterm2" : null;
}

function forcedImages(from: Env): string | undefined {
	return env("TAU_FORCE_IMAGE_PROTOCOL", from)?.toLowerCase();
}

function placeholdersOf(from: Env, brand: Brand): boolean {
	if (envFlag("TAU_NO_KITTY_PLACEHOLDERS", from)) return false;
	return envFlag("TAU_KITTY_PLACEHOLDERS", from) || brand === "kitty" || brand === "ghostty";
}
