//! The part of SARIF 2.1.0 that we write.

use std::collections::BTreeMap;

use serde::Serialize;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Log {
    #[serde(rename = "$schema")]
    pub schema: &'static str,
    pub version: &'static str,
    pub runs: [Run; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Run {
    pub tool: RunTool,
    pub automation_details: AutomationDetails,
    pub column_kind: &'static str,
    pub original_uri_base_ids: BTreeMap<&'static str, UriBase>,
    pub invocations: [Invocation; 1],
    pub results: Vec<RunResult>,
    pub properties: RunProperties,
}

#[derive(Serialize)]
pub struct RunTool {
    pub driver: Driver,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Driver {
    pub name: &'static str,
    pub version: &'static str,
    pub semantic_version: &'static str,
    pub rules: Vec<Rule>,
    pub notifications: Vec<Descriptor>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Rule {
    pub id: &'static str,
    pub short_description: Text,
    pub full_description: Text,
    pub help: Text,
    pub default_configuration: Configuration,
    pub properties: RuleProperties,
}

#[derive(Serialize)]
pub struct Configuration {
    pub level: &'static str,
}

#[derive(Serialize)]
pub struct RuleProperties {
    pub tags: Vec<&'static str>,
    #[serde(rename = "problem.severity")]
    pub severity: &'static str,
}

/// A kind of notification.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Descriptor {
    pub id: &'static str,
    pub short_description: Text,
}

#[derive(Serialize)]
pub struct Text {
    pub text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub markdown: Option<String>,
}

impl Text {
    pub fn plain(text: impl Into<String>) -> Self {
        Self { text: text.into(), markdown: None }
    }
}

#[derive(Serialize)]
pub struct AutomationDetails {
    pub id: String,
}

#[derive(Serialize)]
pub struct UriBase {
    pub description: Text,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Invocation {
    pub execution_successful: bool,
    pub tool_execution_notifications: Vec<Notification>,
}

#[derive(Serialize)]
pub struct Notification {
    pub descriptor: Reference,
    pub level: &'static str,
    pub message: Text,
    pub locations: [Location; 1],
}

#[derive(Serialize)]
pub struct Reference {
    pub id: &'static str,
    pub index: usize,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RunResult {
    pub rule_id: &'static str,
    pub rule_index: usize,
    pub level: &'static str,
    pub message: Text,
    pub locations: [Location; 1],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub related_locations: Vec<Location>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub code_flows: Vec<CodeFlow>,
    pub partial_fingerprints: BTreeMap<&'static str, String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fixes: Vec<Fix>,
    pub properties: ResultProperties,
}

#[derive(Serialize)]
pub struct ResultProperties {
    pub server: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<&'static str>,
}

#[derive(Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Location {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<usize>,
    pub physical_location: PhysicalLocation,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<LocationMessage>,
}

#[derive(Clone, Serialize)]
pub struct LocationMessage {
    pub text: String,
}

#[derive(Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PhysicalLocation {
    pub artifact_location: ArtifactLocation,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub region: Option<Region>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_region: Option<ContextRegion>,
}

#[derive(Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ArtifactLocation {
    pub uri: String,
    pub uri_base_id: &'static str,
}

#[derive(Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Region {
    pub start_line: u32,
    pub start_column: u32,
    pub end_line: u32,
    pub end_column: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub byte_offset: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub byte_length: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub snippet: Option<Snippet>,
}

/// The whole line around a region.
#[derive(Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ContextRegion {
    pub start_line: u32,
    pub end_line: u32,
    pub snippet: Snippet,
}

#[derive(Clone, Serialize)]
pub struct Snippet {
    pub text: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CodeFlow {
    pub message: Text,
    pub thread_flows: [ThreadFlow; 1],
}

#[derive(Serialize)]
pub struct ThreadFlow {
    pub locations: Vec<Step>,
}

#[derive(Serialize)]
pub struct Step {
    pub location: Location,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Fix {
    pub description: Text,
    pub artifact_changes: Vec<ArtifactChange>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ArtifactChange {
    pub artifact_location: ArtifactLocation,
    pub replacements: Vec<Replacement>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Replacement {
    pub deleted_region: Region,
    pub inserted_content: Snippet,
}

#[derive(Serialize)]
pub struct RunProperties {
    /// The most severe category; null where no server was found.
    pub category: Option<&'static str>,
    pub categories: Vec<&'static str>,
    pub facets: Vec<&'static str>,
    pub servers: usize,
    pub spec: &'static str,
}
