//! Nothing in the process reports to anybody.

use tempfile::TempDir;

use crate::installation::with_installation;

#[tokio::test(flavor = "multi_thread")]
async fn onnx_runtime_is_loaded_without_its_reports_whatever_the_environment_says() {
    with_installation(async |installation| {
        let home = TempDir::new().unwrap();
        for value in ["", "0"] {
            let settings =
                [("ORT_DISABLE_TELEMETRY", value), ("HOME", home.path().to_str().unwrap()), ("XDG_CACHE_HOME", "")];
            let server = installation.serve(&settings).await;

            let environment = std::fs::read(format!("/proc/{}/environ", server.pid())).unwrap();
            let mut variables = environment.split(|byte| *byte == 0);
            assert!(variables.any(|variable| variable == b"ORT_DISABLE_TELEMETRY=1"), "started with {value:?}");
            // With its reports on, the library keeps a number of the machine and what is to be sent below the user's folder.
            let kept: Vec<_> = std::fs::read_dir(home.path()).unwrap().collect();
            assert!(kept.is_empty(), "{kept:?}");
            server.stop().await;
        }
    })
    .await;
}
