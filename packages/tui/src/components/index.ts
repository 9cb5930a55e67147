/** The components that screens are built from. */
export { BorderedLoader } from "./bordered-loader.ts";
export { Box } from "./box.ts";
export { CancellableLoader } from "./cancellable-loader.ts";
export { DynamicBorder } from "./dynamic-border.ts";
export { formatKeyText, hintLine, keyHint, keyText, rawKeyHint } from "./key-hint.ts";
export { Loader, type LoaderIndicatorOptions, type RenderHost } from "./loader.ts";
export { progressBar, sparkline } from "./meters.ts";
export {
	SelectList,
	type SelectItem,
	type SelectListLayoutOptions,
	type SelectListTheme,
	type SelectListTruncatePrimaryContext,
} from "./select-list.ts";
export {
	SettingsList,
	type SettingItem,
	type SettingsListOptions,
	type SettingsListTheme,
} from "./settings-list.ts";
export { Spacer } from "./spacer.ts";
export { HStack, VStack, type Column } from "./stack.ts";
export { Tabs, type Tab } from "./tabs.ts";
export { Text, type Paint } from "./text.ts";
export { TruncatedText } from "./truncated-text.ts";
