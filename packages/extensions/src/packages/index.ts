/** The entry point of packages: it finds installed ones. Code that fetches and changes them is in `packages/install`, and loaded on demand. */
export { findPackages } from "./find.ts";
export { openPackage, type InstalledPackage } from "./installed-package.ts";
export { packagedExtensions, type PackagedExtensions } from "./packaged-extensions.ts";
export type { Resource } from "./contents.ts";
export type { BundledResources } from "./bundled-resources.ts";
export { type PackageHome, projectHome, rootOf, userHome } from "./homes.ts";
export { type Manifest, readManifest, resourceKinds } from "./manifest.ts";
export { noOverrides, readOverrides } from "./overrides.ts";
export { packageSetting, packageSettingPrefix } from "./package-setting.ts";
export { type Part, partsMeant, partsOf } from "./parts.ts";
export { readJson, textsIn } from "./record.ts";
export { type SettingValue, readValue } from "./setting-schema.ts";
export { type SettingsFiles, type SettingRow, settingRows, shownValue, strangeSettings } from "./settings.ts";
export { readSource, sourceText } from "./source.ts";
export { type PackageEntry, type PackageState, readState, stateFile, writeWhole } from "./state.ts";
export { packagedThemes } from "./packaged-themes.ts";
