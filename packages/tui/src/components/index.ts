/** The components that screens are built from. */
export { BorderedLoader } from "./bordered-loader.ts";
export { Box } from "./box.ts";
export { CancellableLoader } from "./cancellable-loader.ts";
export { Confirm, type ConfirmOptions } from "./confirm.ts";
export { DynamicBorder } from "./dynamic-border.ts";
export { guarded, type Guarded, type GuardOptions } from "./guarded.ts";
export { HintLine } from "./hint-line.ts";
export { formatKeyText, hintLine, keyHint, keyPairHint, keyText, rawKeyHint } from "./key-hint.ts";
export { Loader, type LoaderIndicatorOptions, type RenderHost } from "./loader.ts";
export { ProgressBar, Sparkline, type ProgressState, type SparklineState } from "./meter-rows.ts";
export { progressBar, sparkline } from "./meters.ts";
export { MultiSelectList, type MultiSelectItem, type MultiSelectOptions } from "./multi-select-list.ts";
export { Panel, type PanelOptions } from "./panel.ts";
export { ScrollView, type ScrollViewOptions } from "./scroll-view.ts";
export {
	SelectList,
	type SelectItem,
	type SelectListLayoutOptions,
	type SelectListTheme,
	type SelectListTruncatePrimaryContext,
} from "../elements/select-list.ts";
export {
	SettingsList,
	type SettingItem,
	type SettingsListOptions,
	type SettingsListTheme,
} from "./settings-list.ts";
export { Spacer } from "./spacer.ts";
export { HStack, VStack, type Column } from "./stack.ts";
export { StatusLine, type StatusSegment, type StatusSegments } from "./status-line.ts";
export { Tabs, type Tab } from "./tabs.ts";
export { Text, type Paint } from "../elements/text.ts";
export type { TreeNode } from "./tree-lines.ts";
export { TreeList, type TreeListOptions } from "./tree-list.ts";
export { TruncatedText } from "./truncated-text.ts";
