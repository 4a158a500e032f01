//! The system calls that are refused, as seccomp takes them. Owns the list. Refused calls fail with "not permitted"; the one whose
//! arguments a filter cannot see fails as if the kernel were older, and programs fall back; foreign instruction sets end the program.

use std::collections::BTreeMap;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch, sock_filter,
};

use super::held::Held;
use crate::{Network, channel::Plan};

#[cfg(target_arch = "x86_64")]
const ARCHITECTURE: Option<TargetArch> = Some(TargetArch::x86_64);
#[cfg(target_arch = "aarch64")]
const ARCHITECTURE: Option<TargetArch> = Some(TargetArch::aarch64);
#[cfg(target_arch = "riscv64")]
const ARCHITECTURE: Option<TargetArch> = Some(TargetArch::riscv64);
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64")))]
const ARCHITECTURE: Option<TargetArch> = None;

/// Refused in every case.
const REFUSED: &[libc::c_long] = &[
    // Into other processes.
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    libc::SYS_pidfd_getfd,
    libc::SYS_kcmp,
    // Interfaces to the kernel that no filter sees into, or that are known for their bugs.
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_fanotify_init,
    libc::SYS_lookup_dcookie,
    // The keys of the user's session.
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    // Other views of the files.
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_open_tree,
    libc::SYS_move_mount,
    libc::SYS_mount_setattr,
    libc::SYS_open_by_handle_at,
    libc::SYS_unshare,
    libc::SYS_setns,
    // The machine itself.
    libc::SYS_kexec_load,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_acct,
    libc::SYS_quotactl,
    libc::SYS_quotactl_fd,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_clock_adjtime,
    libc::SYS_adjtimex,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_syslog,
    libc::SYS_vhangup,
    libc::SYS_nfsservctl,
    libc::SYS_move_pages,
    libc::SYS_migrate_pages,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_kexec_file_load,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_iopl,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_ioperm,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_modify_ldt,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_uselib,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_ustat,
    #[cfg(target_arch = "x86_64")]
    libc::SYS__sysctl,
];

/// Objects of System V and message queues, where there is no namespace for them.
const SHARED: &[libc::c_long] = &[
    libc::SYS_shmget,
    libc::SYS_shmat,
    libc::SYS_shmctl,
    libc::SYS_semget,
    libc::SYS_semop,
    libc::SYS_semtimedop,
    libc::SYS_semctl,
    libc::SYS_msgget,
    libc::SYS_msgsnd,
    libc::SYS_msgrcv,
    libc::SYS_msgctl,
    libc::SYS_mq_open,
    libc::SYS_mq_unlink,
];

/// New namespaces, as `clone` is told them.
const NAMESPACES: &[libc::c_int] = &[
    libc::CLONE_NEWNS,
    libc::CLONE_NEWCGROUP,
    libc::CLONE_NEWUTS,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWNET,
];

/// Requests to a terminal that put words into it as if a person had typed them, or take its messages.
const TERMINAL_REQUESTS: &[libc::c_ulong] = &[
    libc::TIOCSTI as libc::c_ulong,
    // TIOCLINUX
    0x541c,
    libc::TIOCCONS as libc::c_ulong,
    // TIOCSETD
    0x5423,
];

/// Puts it in force for this process and all that come from it.
pub(super) fn install(plan: &Plan, held: &Held) -> Result<(), String> {
    let Some(architecture) = ARCHITECTURE else {
        return Err("no filter is written for this processor".to_owned());
    };
    let newer = [(libc::SYS_clone3, Vec::new())].into_iter().collect();
    let missing = errno(libc::ENOSYS);
    for (rules, action) in [(newer, missing), (rules(plan, held)?, errno(libc::EPERM))] {
        let filter = SeccompFilter::new(rules, SeccompAction::Allow, action, architecture);
        let program: BpfProgram =
            filter.and_then(TryInto::try_into).map_err(|error| error.to_string())?;
        seccompiler::apply_filter(&without_x32(program)).map_err(|error| error.to_string())?;
    }
    Ok(())
}

fn errno(number: i32) -> SeccompAction {
    SeccompAction::Errno(number.cast_unsigned())
}

type Rules = BTreeMap<i64, Vec<SeccompRule>>;

fn rules(plan: &Plan, held: &Held) -> Result<Rules, String> {
    let mut rules = Rules::new();
    let separate = held.namespaces.is_some();
    let shared = SHARED.iter().filter(|_| !separate);
    for call in REFUSED.iter().chain(shared) {
        rules.insert(*call, Vec::new());
    }
    for flag in NAMESPACES {
        let flag = u64::from(flag.cast_unsigned());
        let rule = rule(&[(0, SeccompCmpOp::MaskedEq(flag), flag)])?;
        rules.entry(libc::SYS_clone).or_default().push(rule);
    }
    for request in TERMINAL_REQUESTS {
        rules.entry(libc::SYS_ioctl).or_default().push(rule(&[(1, SeccompCmpOp::Eq, *request)])?);
    }
    let kind = u64::from(libc::S_IFMT);
    for device in [libc::S_IFCHR, libc::S_IFBLK] {
        let device = u64::from(device);
        let mode = |argument| rule(&[(argument, SeccompCmpOp::MaskedEq(kind), device)]);
        rules.entry(libc::SYS_mknodat).or_default().push(mode(2)?);
        #[cfg(target_arch = "x86_64")]
        rules.entry(libc::SYS_mknod).or_default().push(mode(1)?);
    }
    if !separate {
        // Processes outside have numbers here, and these calls take them, or all of a user's. Nothing else keeps them apart.
        for (call, argument) in [
            (libc::SYS_prlimit64, 0),
            (libc::SYS_sched_setscheduler, 0),
            (libc::SYS_sched_setparam, 0),
            (libc::SYS_sched_setattr, 0),
            (libc::SYS_setpriority, 1),
            (libc::SYS_ioprio_set, 1),
        ] {
            rules.entry(call).or_default().push(rule(&[(argument, SeccompCmpOp::Ne, 0)])?);
        }
        rules.entry(libc::SYS_setpriority).or_default().push(rule(&[(0, SeccompCmpOp::Ne, 0)])?);
        // IOPRIO_WHO_PROCESS is 1.
        rules.entry(libc::SYS_ioprio_set).or_default().push(rule(&[(0, SeccompCmpOp::Ne, 1)])?);
    }
    sockets(plan, separate, &mut rules)?;
    Ok(rules)
}

/// Which families of sockets there are.
fn sockets(plan: &Plan, separate: bool, rules: &mut Rules) -> Result<(), String> {
    let number = |family: libc::c_int| u64::from(family.cast_unsigned());
    let mut families = Vec::new();
    // In a network namespace of its own there is nothing to reach but itself.
    if separate || plan.profile.network == Network::Open {
        families.extend([number(libc::AF_INET), number(libc::AF_INET6)]);
    }
    if plan.profile.unix_sockets {
        families.push(number(libc::AF_UNIX));
    }
    let others: Vec<_> = families.iter().map(|family| (0, SeccompCmpOp::Ne, *family)).collect();
    let refused = if others.is_empty() { Vec::new() } else { vec![rule(&others)?] };
    rules.insert(libc::SYS_socket, refused);
    let mut pairs = vec![rule(&[(0, SeccompCmpOp::Ne, number(libc::AF_UNIX))])?];
    if !plan.profile.unix_sockets {
        // One of a pair of these could still send to any address.
        let datagrams = number(libc::SOCK_DGRAM);
        pairs.push(rule(&[(1, SeccompCmpOp::MaskedEq(0xf), datagrams)])?);
    }
    rules.insert(libc::SYS_socketpair, pairs);
    if families.is_empty() {
        for call in [libc::SYS_connect, libc::SYS_bind, libc::SYS_listen] {
            rules.insert(call, Vec::new());
        }
    }
    Ok(())
}

/// All of the conditions: argument, comparison, value. The kernel reads 32 bits of each of these arguments, and so do we: a
/// comparison of all 64 would be led astray by the others.
fn rule(conditions: &[(u8, SeccompCmpOp, u64)]) -> Result<SeccompRule, String> {
    let condition = |(argument, operator, value): &(u8, SeccompCmpOp, u64)| {
        SeccompCondition::new(*argument, SeccompCmpArgLen::Dword, operator.clone(), *value)
    };
    let conditions = conditions.iter().map(condition).collect::<Result<_, _>>();
    conditions.and_then(SeccompRule::new).map_err(|error| error.to_string())
}

/// On x86-64 the same instruction set has a second table of calls, whose numbers a list of refused ones would not know.
fn without_x32(program: BpfProgram) -> BpfProgram {
    if cfg!(not(target_arch = "x86_64")) {
        return program;
    }
    const LOAD_WORD: u16 = 0x20;
    const JUMP_IF_AT_LEAST: u16 = 0x35;
    const RETURN: u16 = 0x06;
    const KILL_PROCESS: u32 = 0x8000_0000;
    const SECOND_TABLE: u32 = 0x4000_0000;
    let line = |code, jt, jf, k| sock_filter { code, jt, jf, k };
    let mut whole = vec![
        line(LOAD_WORD, 0, 0, 0),
        line(JUMP_IF_AT_LEAST, 0, 1, SECOND_TABLE),
        line(RETURN, 0, 0, KILL_PROCESS),
    ];
    whole.extend(program);
    whole
}
