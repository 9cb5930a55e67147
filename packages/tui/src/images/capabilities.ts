/** Which images the terminal can show and how large its cells are; there is one terminal per process. */
import { imageLimits } from "../limits.ts";
import { detectFeatures, type ImageProtocol } from "../terminal-features.ts";

export interface TerminalCapabilities {
	images: ImageProtocol;
	trueColor: boolean;
	hyperlinks: boolean;
}

export interface CellDimensions {
	widthPx: number;
	heightPx: number;
}

/** The assumed size until the terminal reports it; the ratio matters more than the size. */
const usualCell: CellDimensions = { widthPx: 9, heightPx: 18 };

interface Detected extends TerminalCapabilities {
	placeholders: boolean;
	passthrough: boolean;
}

let detected: Detected | undefined;
let cell = usualCell;
let sixelColors: number = imageLimits.sixelColors;
const listeners = new Set<() => void>();

export function detectCapabilities(): TerminalCapabilities {
	const { images, trueColor, hyperlinks } = detectFeatures();
	return { images, trueColor, hyperlinks };
}

export function getCapabilities(): TerminalCapabilities {
	return current();
}

/** For tests, and for users who override the detection; placeholders are used only on request. */
export function setCapabilities(
	capabilities: TerminalCapabilities & Partial<Pick<Detected, "placeholders" | "passthrough">>,
): void {
	detected = { placeholders: false, passthrough: false, ...capabilities };
}

export function resetCapabilitiesCache(): void {
	detected = undefined;
}

/** The terminal has replied that it shows sixel images, with so many colors at once. */
export function setSixel(colors: number): void {
	sixelColors = Math.max(2, Math.min(imageLimits.sixelColors, colors));
	detected = { ...current(), images: "sixel" };
	imagesChanged();
}

export function getSixelColors(): number {
	return sixelColors;
}

/** Calls the listener when images can be shown that could not be before. */
export function onImagesChanged(listener: () => void): Disposable {
	listeners.add(listener);
	return { [Symbol.dispose]: () => void listeners.delete(listener) };
}

export function imagesChanged(): void {
	for (const listener of listeners) listener();
}

/** True if kitty images can be written as text cells. */
export function hasPlaceholders(): boolean {
	return current().placeholders;
}

/** True if tmux has to pass images on. */
export function isPassedThrough(): boolean {
	return current().passthrough;
}

export function getCellDimensions(): CellDimensions {
	return cell;
}

export function setCellDimensions({ widthPx, heightPx }: CellDimensions): void {
	const isOther = widthPx !== cell.widthPx || heightPx !== cell.heightPx;
	cell = { widthPx, heightPx };
	if (isOther && detected?.images === "sixel") imagesChanged();
}

function current(): Detected {
	const { placeholders, passthrough } = detected ?? detectFeatures();
	detected ??= { ...detectCapabilities(), placeholders, passthrough };
	return detected;
}
