/** The grammars for darwin-x64, as files that the bundler embeds. */
import bash from "@ast-grep/lang-bash/prebuilds/prebuild-macOS-X64/parser.so" with { type: "file" };
import c from "@ast-grep/lang-c/prebuilds/prebuild-macOS-X64/parser.so" with { type: "file" };
import go from "@ast-grep/lang-go/prebuilds/prebuild-macOS-X64/parser.so" with { type: "file" };
import java from "@ast-grep/lang-java/prebuilds/prebuild-macOS-X64/parser.so" with { type: "file" };
import python from "@ast-grep/lang-python/prebuilds/prebuild-macOS-X64/parser.so" with { type: "file" };
import rust from "@ast-grep/lang-rust/prebuilds/prebuild-macOS-X64/parser.so" with { type: "file" };
import yaml from "@ast-grep/lang-yaml/prebuilds/prebuild-macOS-X64/parser.so" with { type: "file" };

export default { bash, c, go, java, python, rust, yaml };
