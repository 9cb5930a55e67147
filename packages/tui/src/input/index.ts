/** The public interface of keyboard input. */
export {
	TUI_KEYBINDINGS,
	type Keybinding,
	type KeybindingDefinition,
	type KeybindingDefinitions,
	type Keybindings,
} from "./keybinding-table.ts";
export { encodeKey, type KeyModes } from "./encode-key.ts";
export { readKeybindings, type KeybindingsReading } from "./keybindings-config.ts";
export {
	getKeybindings,
	KeybindingsManager,
	setKeybindings,
	type KeybindingConflict,
	type KeybindingsConfig,
} from "./keybindings.ts";
export {
	decodeKittyPrintable,
	decodePrintableKey,
	isFocusReport,
	isKeyRelease,
	isKeyRepeat,
	isKittyProtocolActive,
	Key,
	matchesKey,
	parseKey,
	setKittyProtocolActive,
	type KeyEventType,
	type KeyId,
} from "./keys.ts";
export { StdinBuffer, type StdinBufferEventMap, type StdinBufferOptions } from "./stdin-buffer.ts";
